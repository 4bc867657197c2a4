import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { UpdateState } from '../../../api/contract.ts';
import {
  desktopUpdateQueryOptions,
  desktopVersionQueryOptions,
  useFollowUpdate,
  useUpdateCommand,
} from '../../../api/hub/desktop-settings.ts';
import { metaQueryOptions } from '../../../api/hub/hub-queries.ts';
import { Fact, FactList } from '../../../components/FactList.tsx';
import { Section } from '../../../components/page/Section.tsx';

/** The running version, and its updates. */
export function VersionSettings() {
  const { data: meta } = useQuery(metaQueryOptions());
  const { data: desktop } = useQuery(desktopVersionQueryOptions());
  const { data: update } = useQuery(desktopUpdateQueryOptions());
  useFollowUpdate();
  if (!meta || desktop === undefined || update === undefined) return null;
  return (
    <>
      <Section title="Version">
        <FactList wide>
          <Fact label="Homeport">{meta.version}</Fact>
          <Fact label="Desktop app">
            {desktop ?? <span className="soft">None: this page is open in a browser.</span>}
          </Fact>
          {update && <Fact label="Update">{describe(update)}</Fact>}
        </FactList>
        <p className="faint small pt-8">{hintOf({ isDesktop: desktop !== null, isUpdated: update !== null })}</p>
        {update && <Commands update={update} />}
      </Section>
      {update && 'notes' in update && update.notes !== '' && (
        <Section title={`New in ${update.version}`}>
          <pre
            className="scroll"
            style={{ maxHeight: 320, fontFamily: 'inherit', whiteSpace: 'pre-wrap' }}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
            tabIndex={0}
            role="group"
            aria-label={`New in ${update.version}`}
          >
            {update.notes}
          </pre>
        </Section>
      )}
    </>
  );
}

function Commands({ update: { name } }: { update: UpdateState }) {
  const command = useUpdateCommand();
  if (name === 'ready' || name === 'waiting')
    return (
      <Group gap={8} pt={12}>
        {name === 'ready' ? (
          <Button onClick={() => command.mutate('installUpdate')}>Install and start again</Button>
        ) : (
          <Button variant="default" onClick={() => command.mutate('cancelUpdate')}>
            Do not install now
          </Button>
        )}
      </Group>
    );
  const isBusy = name === 'checking' || name === 'downloading' || name === 'installing';
  return (
    <Group gap={8} pt={12}>
      <Button variant="default" disabled={isBusy} onClick={() => command.mutate('checkForUpdates')}>
        Check for updates
      </Button>
    </Group>
  );
}

function describe(update: UpdateState): string {
  switch (update.name) {
    case 'idle':
      return 'Not checked yet';
    case 'checking':
      return 'Checking for updates';
    case 'current':
      return 'This is the newest version';
    case 'downloading':
      return `Downloading ${update.version}: ${update.percent} %`;
    case 'ready':
      return `${update.version} can be installed`;
    case 'waiting':
      return update.runningCount === 1
        ? `${update.version} is installed once the run in progress has ended`
        : `${update.version} is installed once ${update.runningCount} runs have ended`;
    case 'installing':
      return `Installing ${update.version}`;
    case 'failed':
      return update.message;
  }
}

function hintOf({ isDesktop, isUpdated }: { isDesktop: boolean; isUpdated: boolean }): string {
  if (!isDesktop)
    return 'Updates are a setting of the desktop app. A hub that was started without it is updated where it was installed; its data is backed up before it is changed.';
  if (!isUpdated)
    return 'This copy of the app is updated where it was installed. Its data is backed up before it is changed.';
  return 'Homeport checks every six hours. An update is installed when you choose it, once no run is in progress, and after a backup of the database.';
}
