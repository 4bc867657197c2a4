import { Button, Group, Switch } from '@mantine/core';
import { IconApps, IconFolderCode, IconPlugConnected, IconSparkles } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { Link } from 'react-router';
import { desktopBridge } from '../../api/desktop-bridge.ts';
import { desktopSettingsQueryOptions, useUpdateDesktop } from '../../api/hub/desktop-settings.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { notifyError } from '../../components/notice/notify.ts';
import type { StepProps } from './step-props.ts';
import classes from './WelcomeStep.module.css';

/** The next steps: write functions, connect an app or an agent, add a provider. */
export function FinishStep({ heading, firstRun, change, go }: StepProps) {
  const env = useEnv();
  const folder = useQuery(metaQueryOptions()).data?.functionsFolder ?? '';
  const isWhole = (['connect', 'call', 'sync'] as const).every((step) => firstRun.done.includes(step));
  const showFolder = async (): Promise<void> => {
    const isShown = await desktopBridge()?.showItemInFolder(folder);
    if (!isShown) notifyError({ message: 'The folder could not be opened. Copy its path.', code: 'not_shown' });
  };
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {isWhole ? 'Homeport works' : 'What comes next'}
      </h1>
      <p className={`soft ${classes['lead']}`}>
        {isWhole
          ? 'An account is connected, a call went through, and a sync stored its records.'
          : 'What you skipped stays on the checklist of the overview.'}
      </p>
      <ul className={classes['next']}>
        <Next icon={IconFolderCode} title="Write functions" text="A file that you save in this folder is live at once.">
          <CopyRow value={folder} label="Copy the path of the functions folder" />
          {desktopBridge() && (
            <Button size="xs" variant="default" onClick={() => void showFolder()}>
              Open the functions folder
            </Button>
          )}
        </Next>
        <Next icon={IconApps} title="Let an app in" text="Your app on this computer sends a key of this environment.">
          <Button size="xs" variant="default" component={Link} to={`/${env}/apps`}>
            Pair an app
          </Button>
        </Next>
        <Next
          icon={IconSparkles}
          title="Let an agent in"
          text="MCP clients call your actions; calls that may change something ask you first."
        >
          <Button size="xs" variant="default" component={Link} to={`/${env}/agents`}>
            Connect an MCP client
          </Button>
        </Next>
        <Next
          icon={IconPlugConnected}
          title="Bring your own provider"
          text="The same steps with a service that you use."
        >
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              change({
                way: 'provider',
                connection: null,
                connectedBy: null,
                done: firstRun.done.filter((step) => step !== 'connect'),
              });
              go('connect');
            }}
          >
            Connect a real provider
          </Button>
        </Next>
      </ul>
      <StartAtLogin />
    </>
  );
}

/** Off by default; a browser cannot start the app. */
function StartAtLogin() {
  const { data: settings } = useQuery(desktopSettingsQueryOptions());
  const update = useUpdateDesktop();
  if (!settings) return null;
  return (
    <Switch
      label="Start Homeport when I log in"
      description="Syncs and webhooks continue without a window."
      checked={settings.startAtLogin}
      onChange={(event) => update.mutate({ startAtLogin: event.currentTarget.checked })}
    />
  );
}

interface NextProps {
  icon: ComponentType<{ size: number; stroke: number }>;
  title: string;
  text: string;
  children: ReactNode;
}

function Next({ icon: Icon, title, text, children }: NextProps) {
  return (
    <li className="flex gap-16">
      <span className={`centred rigid soft ${classes['tile']}`} aria-hidden>
        <Icon size={20} stroke={1.6} />
      </span>
      <div>
        <h2>{title}</h2>
        <p className="soft">{text}</p>
        <Group gap={8} align="stretch" mt={8}>
          {children}
        </Group>
      </div>
    </li>
  );
}
