import { Button, Group, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import type { CheckedEntryRow } from '../../api/contract.ts';
import { checkedEntriesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { Section } from '../../components/page/Section.tsx';
import { PlainTable } from '../../components/table/PlainTable.tsx';
import { authModeName } from '../../lib/auth-modes.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import type { TextFile } from '../../lib/recognised-file.ts';
import classes from './TransferPages.module.css';

const SHOWN_ROWS = 200;

/** A file of provider entries: the valid ones, the invalid ones, and why. Importing approves them. */
export function ProviderFileImport({ file }: { file: TextFile }) {
  const env = useEnv();
  const check = useQuery(checkedEntriesQueryOptions(file.name, file.text));
  const [replaces, setReplaces] = useState(false);
  const run = useChange('POST /api/v1/provider-entries/import');
  if (check.error) return <ErrorPanel error={check.error} onRetry={() => void check.refetch()} />;
  if (!check.data) return <PageSkeleton />;
  const { entries, problems, warnings } = check.data;
  const overBuiltIn = entries.filter(({ source }) => source === 'override').length;
  const wanted = entries.filter(({ source }) => replaces || source === 'workspace');
  if (run.data)
    return (
      <Section title="Imported">
        <p role="status">
          {formatCount(run.data.added.length, 'entry', 'entries')} in <code>{run.data.file}</code>, approved.
        </p>
        <Button component={Link} to={`${paths.newIntegration(env)}?category=own`} variant="default">
          Show them in the catalogue
        </Button>
      </Section>
    );
  const submit = (): void => run.mutate({ body: { file: file.name, text: file.text, replaces } });
  return (
    <Section title={formatCount(entries.length, 'entry', 'entries')}>
      {overBuiltIn > 0 && (
        <Switch
          label={`Take ${formatNumber(overBuiltIn)} over built-in providers, too`}
          checked={replaces}
          onChange={(event) => setReplaces(event.currentTarget.checked)}
        />
      )}
      {(problems.length > 0 || warnings.length > 0) && (
        <ul className={classes['findings']} style={{ margin: '12px 0' }}>
          {[
            ...problems.map((one) => ({ ...one, isFault: true })),
            ...warnings.map((one) => ({ ...one, isFault: false })),
          ]
            // Those that leave an entry out first, each kind in the order of the file.
            .sort((a, b) => Number(b.isFault) - Number(a.isFault) || a.line - b.line)
            .slice(0, SHOWN_ROWS)
            .map(({ line, provider, keyPath, reason, isFault }) => (
              <li key={`${line}${provider}${keyPath}${reason}`} className={isFault ? 'bad' : undefined}>
                <code className="faint">line {line}</code> <code>{[provider, keyPath].filter(Boolean).join('.')}</code>{' '}
                {reason}
                {isFault && '; left out'}
              </li>
            ))}
        </ul>
      )}
      {entries.length === 0 ? (
        <p role="status">
          The file has no valid provider entry, so there is nothing to import. An entry is a name with at least{' '}
          <code>display_name</code> and <code>auth_mode</code> below it.
        </p>
      ) : (
        <>
          <EntryTable entries={entries} />
          <Group>
            <Button onClick={submit} loading={run.isPending} disabled={wanted.length === 0}>
              Import and approve {formatNumber(wanted.length)}
            </Button>
          </Group>
        </>
      )}
    </Section>
  );
}

function EntryTable({ entries }: { entries: CheckedEntryRow[] }) {
  return (
    <PlainTable className={classes['table']} label="Entries" head={['Provider', 'Auth type', 'Base address', 'Here']}>
      {entries.slice(0, SHOWN_ROWS).map((entry) => (
        <tr key={entry.name}>
          <td>
            <span className="name">{entry.displayName}</span> <code className="faint">{entry.name}</code>
          </td>
          <td className="soft">{authModeName(entry.authMode)}</td>
          <td>
            <code>{entry.baseUrl ?? ''}</code>
          </td>
          <td className="soft">
            {entry.source === 'override' ? 'Built in' : entry.isThere ? 'In your workspace' : 'New'}
          </td>
        </tr>
      ))}
    </PlainTable>
  );
}
