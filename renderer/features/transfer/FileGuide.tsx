import { Button } from '@mantine/core';
import { IconDownload, IconFileZip, IconTable, IconTemplate, IconTerminal2, IconVariable } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useEnv } from '../../api/use-env.ts';
import { csvLine } from '../../lib/csv.ts';
import { paths } from '../../lib/paths.ts';
import { saveFile } from '../../lib/save-file.ts';
import classes from './TransferPages.module.css';

/** Two rows that the import takes: one with a token, one with an API key. */
const EXAMPLE = [
  ['integration_id', 'connection_id', 'access_token', 'refresh_token', 'expires_at', 'api_key', 'end_user_id', 'email'],
  [
    'hubspot',
    'kestrel-1',
    '<access token>',
    '<refresh token>',
    '2027-01-31T12:00:00Z',
    '',
    'u-17',
    'ops@kestrel.example',
  ],
  ['stripe', 'dune-4', '', '', '', '<API key>', 'u-18', 'billing@dune.example'],
];

/** What can be imported, while there is no file. */
export function FileGuide() {
  const env = useEnv();
  const saveExample = (): void =>
    saveFile('connections.csv', new Blob([EXAMPLE.map(csvLine).join('')], { type: 'text/csv' }));
  return (
    <section aria-label="What can be imported">
      <h2 className="pb-8">What can be imported</h2>
      <ul className={classes['guide']}>
        <Row
          icon={<IconFileZip size={16} stroke={1.6} aria-hidden />}
          title="An export of Homeport"
          files="zip, json"
          text="Integrations, connections, functions and settings. You choose the parts, and what happens to those that are here already."
        />
        <Row
          icon={<IconTable size={16} stroke={1.6} aria-hidden />}
          title="A list of connections"
          files="csv, json"
          text="One row for each connection, with its token or key. You say what each column holds; every row is checked first."
          action={
            <Button
              size="xs"
              variant="default"
              leftSection={<IconDownload size={14} stroke={1.6} aria-hidden />}
              onClick={saveExample}
            >
              Save an example
            </Button>
          }
        />
        <Row
          icon={<IconTemplate size={16} stroke={1.6} aria-hidden />}
          title="Provider entries"
          files="yaml, json"
          text="Providers of your own, or changes to those of the catalogue. They take effect when you have approved them."
        />
        <Row
          icon={<IconVariable size={16} stroke={1.6} aria-hidden />}
          title="Variables of the environment"
          files="env"
          text="Pasted in the settings, where each one is secret or plain."
          action={
            <Button size="xs" variant="default" component={Link} to={paths.settings(env, 'function-env-vars')}>
              Open the settings
            </Button>
          }
        />
        <Row
          icon={<IconTerminal2 size={16} stroke={1.6} aria-hidden />}
          title="Requests"
          files="Postman, cURL"
          text="Saved in the playground for an integration, and sent with the connection that is chosen there."
          action={
            <Button size="xs" variant="default" component={Link} to={paths.playgroundRequests(env)}>
              Open the playground
            </Button>
          }
        />
      </ul>
    </section>
  );
}

function Row(props: { icon: ReactNode; title: string; files: string; text: string; action?: ReactNode }) {
  const { icon, title, files, text, action } = props;
  return (
    <li className="grid line-above middle">
      {icon}
      <div>
        <p>
          <b className="name">{title}</b> <code className="faint">{files}</code>
        </p>
        <p className="soft">{text}</p>
      </div>
      {action}
    </li>
  );
}
