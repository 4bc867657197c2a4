import { Button, Checkbox, PasswordInput, SegmentedControl, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { connectionCountQueryOptions } from '../../api/attention-queries.ts';
import type { ConnectionRef } from '../../api/connections/connections-queries.ts';
import type { ShownConflictRule, ShownTransferPart } from '../../api/contract.ts';
import { useFunctions } from '../../api/functions/functions-queries.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { settingsQueryOptions } from '../../api/settings/settings-queries.ts';
import { useSendTransfer } from '../../api/transfer/transfer-mutations.ts';
import { writeExport } from '../../api/transfer/write-export.ts';
import { useEnv } from '../../api/use-env.ts';
import { ExportForm } from '../../components/form/ExportForm.tsx';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { formatCount, formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import classes from './TransferPages.module.css';
import { TransferReport } from './TransferReport.tsx';
import { CONFLICT_RULES, PARTS } from './transfer-choices.ts';

/** Exports an environment to a file, or to another server with the same API. */
export function ExportPage() {
  const env = useEnv();
  const url = useUrlState();
  const integrationKey = url.get('integration') || undefined;
  const connectionId = url.get('connection') || undefined;
  const isPartial = integrationKey !== undefined;
  // A server gets the whole environment; a selection goes into a file.
  const target = url.get('source') === 'server' && !isPartial ? 'server' : 'file';
  const offered = PARTS.filter(({ id }) => !isPartial || id !== 'settings');
  const [parts, setParts] = useState<ShownTransferPart[]>(offered.map(({ id }) => id));
  const counts = useCounts(integrationKey);
  usePage([{ label: 'Export' }]);
  if (integrationKey !== undefined && connectionId !== undefined)
    return <ExportConnection integrationKey={integrationKey} connectionId={connectionId} />;
  return (
    <>
      <PageHeader
        title="Export"
        sub={
          <span className="soft">
            {isPartial ? (
              <>
                What belongs to the integration <code>{integrationKey}</code> of {env}.
              </>
            ) : (
              `Choose what to export from ${env}.`
            )}
          </span>
        }
      >
        <Button component={Link} variant="default" to={paths.import(env)}>
          Import instead
        </Button>
      </PageHeader>
      <div className={`stack scroll ${classes['page']}`}>
        {!isPartial && (
          <SegmentedControl
            aria-label="Where to"
            value={target}
            onChange={(next) => url.set({ source: next === 'file' ? '' : next })}
            data={[
              { value: 'file', label: 'A file' },
              { value: 'server', label: 'Another server' },
            ]}
          />
        )}
        <div className="flex wrap" style={{ gap: '16px 40px', marginBottom: 12 }}>
          <fieldset className="stack gap-8">
            <legend className="name pb-8">What</legend>
            {offered.map(({ id, label }) => (
              <Checkbox
                key={id}
                label={
                  <>
                    {label} <span className="faint">{counts[id]}</span>
                  </>
                }
                checked={parts.includes(id)}
                onChange={() => setParts(parts.includes(id) ? parts.filter((one) => one !== id) : [...parts, id])}
              />
            ))}
            <p className="soft">
              Records are not part of it: syncs read them again at the provider. The page of a model saves its records
              as a file.
            </p>
          </fieldset>
        </div>
        {target === 'file' ? (
          <ToFile
            name={integrationKey ?? env}
            selection={{ parts, ...(isPartial && { integrations: [integrationKey] }) }}
          />
        ) : (
          <ToServer parts={parts} />
        )}
      </div>
    </>
  );
}

/** How many there are of each part, in the environment or in one integration. */
function useCounts(integrationKey: string | undefined): Partial<Record<ShownTransferPart, string>> {
  const env = useEnv();
  const among = { integrations: integrationKey };
  const integrations = useQuery(integrationChoicesQueryOptions(env)).data?.length;
  const connections = useQuery(connectionCountQueryOptions(env, among)).data?.total;
  const functions = useFunctions(among).total;
  const variables = useQuery(settingsQueryOptions(env)).data?.variables.length;
  const text = (count: number | undefined): string => (count === undefined ? '' : formatNumber(count));
  return {
    integrations: text(integrationKey === undefined ? integrations : 1),
    connections: text(connections),
    functions: text(functions),
    settings: variables === undefined ? '' : formatCount(variables, 'variable'),
  };
}

/** Exports one connection to a file, which can be imported where an integration has the same ID. */
function ExportConnection({ integrationKey, connectionId }: { integrationKey: string; connectionId: string }) {
  const env = useEnv();
  return (
    <>
      <PageHeader
        title="Export a connection"
        sub={
          <span className="soft">
            <code>{connectionId}</code> of <code>{integrationKey}</code> in {env}: tags, metadata and configuration,
            without records.
          </span>
        }
      >
        <Button component={Link} variant="default" to={paths.connection(env, { integrationKey, connectionId })}>
          Back to the connection
        </Button>
      </PageHeader>
      <div className={`stack scroll ${classes['page']}`}>
        <ToFile
          name={connectionId.replace(/[^\w.-]+/g, '-')}
          selection={{ parts: ['connections'], connections: [{ integrationKey, connectionId }] }}
        />
      </div>
    </>
  );
}

interface ToFileProps {
  /** A part of the file name. */
  name: string;
  selection: { parts: ShownTransferPart[]; integrations?: string[]; connections?: ConnectionRef[] };
}

function ToFile({ name, selection }: ToFileProps) {
  const env = useEnv();
  return (
    <ExportForm
      name={name}
      hasFunctions={selection.parts.includes('functions')}
      isDisabled={selection.parts.length === 0}
      write={(options) => writeExport(env, { ...selection, ...options })}
    />
  );
}

function ToServer({ parts }: { parts: ShownTransferPart[] }) {
  const env = useEnv();
  const [url, setUrl] = useState('');
  const [secretKey, setSecretKey] = useState('');
  const [conflict, setConflict] = useState<ShownConflictRule>('skip');
  const run = useSendTransfer();
  const confirm = useConfirm();
  const ask = (): void =>
    confirm.ask({
      title: `Write ${env} to ${URL.parse(url)?.host ?? url}?`,
      text: 'Credentials of connections go along, in clear over this connection. The server keeps them as it does its own.',
      action: 'Write to the server',
      run: () => run.mutateAsync({ target: { url, secretKey }, conflict, parts }),
    });
  if (run.data) return <TransferReport rows={run.data.data} name="export-report.json" />;
  return (
    <form
      className="stack gap-12"
      style={{ maxWidth: 480 }}
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <TextInput
        label="Address"
        description="The address of a server with the same API."
        placeholder="https://api.example.com"
        value={url}
        spellCheck={false}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <PasswordInput
        label="Secret key"
        description="The key of the environment to write to. It is used once and not stored."
        value={secretKey}
        autoComplete="off"
        onChange={(event) => setSecretKey(event.currentTarget.value)}
      />
      <SegmentedControl
        aria-label="What exists already"
        value={conflict}
        onChange={(next) => setConflict(next as ShownConflictRule)}
        data={CONFLICT_RULES.map(({ id, label }) => ({ value: id, label: `${label} existing items` }))}
      />
      <div>
        <Button type="submit" loading={run.isPending} disabled={url === '' || secretKey === '' || parts.length === 0}>
          Write to the server
        </Button>
      </div>
      {confirm.dialog}
    </form>
  );
}
