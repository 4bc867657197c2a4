import { Button, Select, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'react-router';
import type { ShellSettings, ShellSettingsChange } from '../../../api/contract.ts';
import {
  desktopNoticesQueryOptions,
  desktopSettingsQueryOptions,
  useInstallCommand,
  useUpdateDesktop,
} from '../../../api/hub/desktop-settings.ts';
import { useEnv } from '../../../api/use-env.ts';
import { CodeInput } from '../../../components/form/CodeInput.tsx';
import { Banner } from '../../../components/page/Banner.tsx';
import { Section } from '../../../components/page/Section.tsx';
import { EDITORS } from '../../../lib/editors.ts';
import { paths } from '../../../lib/paths.ts';
import { readStored, writeStored } from '../../../lib/stored.ts';
import { SessionSettings } from './SessionSettings.tsx';

/** Start, close and window behaviour of the desktop app, the editor, and the signed-in browsers. */
export function DesktopSettings() {
  const { data: settings } = useQuery(desktopSettingsQueryOptions());
  return (
    <>
      {settings === null && <InBrowser />}
      {settings && <InDesktop settings={settings} />}
      <Notifications />
      <SessionSettings />
    </>
  );
}

/** Notification rules belong to an environment. */
function Notifications() {
  const env = useEnv();
  return (
    <Section
      title="Notifications"
      aside={
        <Button component={Link} to={paths.notifications(env)} size="xs" variant="default">
          Set notifications
        </Button>
      }
    >
      <p className="soft pb-12">
        Each environment has its own rules: what you are notified of in this window and by the system, and quiet hours.
      </p>
    </Section>
  );
}

function InBrowser() {
  const [editor, setEditor] = useState(() => readStored<string>('editor', 'vscode'));
  return (
    <>
      <Section title="Start-up and window">
        <p className="soft pb-12">
          Starting at login, closing to the tray and the shortcut of the quick panel are settings of the desktop app.
          This page is open in a browser: open it in the app to change them.
        </p>
      </Section>
      <Section title="Editor">
        <Stack gap={16} maw={480}>
          <Select
            label="Opens files of functions"
            description="In this browser."
            data={EDITORS.map(({ scheme, name }) => ({ value: scheme, label: name }))}
            value={editor}
            onChange={(next) => {
              if (!next) return;
              setEditor(next);
              writeStored('editor', next);
            }}
          />
        </Stack>
      </Section>
    </>
  );
}

function InDesktop({ settings }: { settings: ShellSettings }) {
  const update = useUpdateDesktop();
  const install = useInstallCommand();
  const change = (wish: ShellSettingsChange): void => update.mutate(wish);
  return (
    <>
      <Section title="Start-up and window">
        <Notices />
        <Stack gap={16} maw={480}>
          <Switch
            label="Start when I sign in to this computer"
            description="Without a window, in the tray."
            checked={settings.startAtLogin}
            onChange={(event) => change({ startAtLogin: event.currentTarget.checked })}
          />
          <Select
            label="Closing the last window"
            data={[
              { value: 'hide', label: 'Keeps running in the tray' },
              { value: 'quit', label: 'Quits Homeport' },
            ]}
            value={settings.closeAction}
            onChange={(next) => next && change({ closeAction: next as ShellSettings['closeAction'] })}
          />
          <Switch
            label="Pause schedules on battery"
            description="Runs that you start yourself continue."
            checked={settings.pauseOnBattery}
            onChange={(event) => change({ pauseOnBattery: event.currentTarget.checked })}
          />
          <Switch
            label="Use the graphics card"
            description="From the next start on. Homeport switches it off when its driver fails."
            checked={settings.useGraphicsCard}
            onChange={(event) => change({ useGraphicsCard: event.currentTarget.checked })}
          />
          <PanelShortcut key={settings.quickPanelShortcut} stored={settings.quickPanelShortcut} />
          <Select
            label="Opens files of functions"
            data={[
              { value: 'system', label: 'The program of this computer' },
              ...EDITORS.map(({ scheme, name }) => ({ value: scheme, label: name })),
            ]}
            value={settings.editor}
            onChange={(next) => next && change({ editor: next as ShellSettings['editor'] })}
          />
        </Stack>
      </Section>
      <Section title="Command line">
        <p className="soft pb-12">
          Makes <code>homeport</code> a command of your terminals.
        </p>
        <Button variant="default" loading={install.isPending} onClick={() => install.mutate()}>
          Install the command
        </Button>
      </Section>
    </>
  );
}

/** What this computer refuses the app, and what a person can do. */
function Notices() {
  const { data: notices = [] } = useQuery(desktopNoticesQueryOptions());
  if (notices.length === 0) return null;
  return (
    <Stack gap={0} role="group" aria-label="On this computer">
      {notices.map(({ id, message }) => (
        <Banner key={id} tone="warn">
          {message}
        </Banner>
      ))}
    </Stack>
  );
}

/** The system may refuse a shortcut that another program uses: the field then shows that. */
function PanelShortcut({ stored }: { stored: string | null }) {
  const update = useUpdateDesktop({ ownError: true, done: 'Shortcut of the quick panel saved' });
  const [text, setText] = useState(stored ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    update.mutate({ quickPanelShortcut: text.trim() || null });
  };
  return (
    <form onSubmit={submit} className="row wrap">
      <CodeInput
        label="Shortcut of the quick panel"
        description="Works while another program is in front; empty for none."
        value={text}
        error={update.error?.message}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {text !== (stored ?? '') && (
        <Button type="submit" loading={update.isPending}>
          Save
        </Button>
      )}
    </form>
  );
}
