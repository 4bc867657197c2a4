import { Button, Checkbox, PasswordInput, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import type { ShownConflictRule, ShownTransferPart } from '../../api/contract.ts';
import { useExportArchive, useExportEnvironment, useSendTransfer } from '../../api/transfer/transfer-mutations.ts';
import { useEnv } from '../../api/use-env.ts';
import { notifyDone, notifyError } from '../../components/notify.ts';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { useConfirm } from '../../components/use-confirm.tsx';
import { useUrlState } from '../../components/use-url-state.ts';
import { bytesOf } from '../../lib/base64.ts';
import { paths } from '../../lib/paths.ts';
import { saveFile } from '../../lib/save-file.ts';
import classes from './TransferPages.module.css';
import { TransferReport } from './TransferReport.tsx';
import { CONFLICT_RULES, PARTS } from './transfer-choices.ts';

/** As the command line asks for. */
const SHORTEST_PASSPHRASE = 8;

/** An environment into a file, or into another server of the same API. */
export function ExportPage() {
  const env = useEnv();
  const url = useUrlState();
  const integrationKey = url.get('integration') || undefined;
  const connectionId = url.get('connection') || undefined;
  const isPartial = integrationKey !== undefined;
  // A server gets an environment; what is selected goes into a file.
  const target = url.get('source') === 'server' && !isPartial ? 'server' : 'file';
  const offered = PARTS.filter(({ id }) => !isPartial || id !== 'settings');
  const [parts, setParts] = useState<ShownTransferPart[]>(offered.map(({ id }) => id));
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
              `Everything of ${env} that you choose.`
            )}
          </span>
        }
      >
        <Button component={Link} variant="default" to={paths.import(env)}>
          Import instead
        </Button>
      </PageHeader>
      <div className={classes['page']}>
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
        <div className={classes['choices']}>
          <fieldset>
            <legend>What</legend>
            {offered.map(({ id, label }) => (
              <Checkbox
                key={id}
                label={label}
                checked={parts.includes(id)}
                onChange={() => setParts(parts.includes(id) ? parts.filter((one) => one !== id) : [...parts, id])}
              />
            ))}
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

/** One connection into a file, to be imported where there is an integration of the same ID. */
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
      <div className={classes['page']}>
        <ToFile
          name={connectionId.replace(/[^\w.-]+/g, '-')}
          selection={{ parts: ['connections'], connection: { integrationKey, connectionId } }}
        />
      </div>
    </>
  );
}

interface ToFileProps {
  /** Stands in the name of the file. */
  name: string;
  selection: Parameters<ReturnType<typeof useExportEnvironment>['mutateAsync']>[0];
}

function ToFile({ name, selection }: ToFileProps) {
  const [hasSecrets, setHasSecrets] = useState(false);
  const [passphrase, setPassphrase] = useState('');
  const [again, setAgain] = useState('');
  const [format, setFormat] = useState('zip');
  const exportArchive = useExportArchive();
  const exportJson = useExportEnvironment();
  const isShort = hasSecrets && passphrase.length < SHORTEST_PASSPHRASE;
  const differs = hasSecrets && again !== passphrase;
  const submit = async (): Promise<void> => {
    const body = { ...selection, ...(hasSecrets ? { passphrase } : {}) };
    try {
      if (format === 'zip') {
        const { archive } = await exportArchive.mutateAsync(body);
        const bytes = bytesOf(archive);
        saveFile(`homeport-${name}.zip`, new Blob([bytes], { type: 'application/zip' }));
      } else {
        const { file } = await exportJson.mutateAsync(body);
        const text = `${JSON.stringify(file, null, 2)}\n`;
        saveFile(`homeport-${name}.json`, new Blob([text], { type: 'application/json' }));
      }
      notifyDone(hasSecrets ? 'Exported with sealed credentials' : 'Exported without credentials');
    } catch (error) {
      notifyError(describeError(error));
    }
  };
  return (
    <form
      className={classes['server']}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div className={classes['choices']}>
        <fieldset>
          <legend>Kind of file</legend>
          <SegmentedControl
            aria-label="Kind of file"
            value={format}
            onChange={setFormat}
            data={[
              { value: 'zip', label: 'ZIP archive' },
              { value: 'json', label: 'One JSON file' },
            ]}
          />
          <p className="soft">
            {format === 'zip'
              ? `${selection.parts.includes('functions') ? 'Functions are files in it; checksums' : 'Checksums'} show later changes.`
              : 'For programs that read it.'}
          </p>
        </fieldset>
      </div>
      <Switch
        label="With credentials and secrets, sealed under a passphrase"
        checked={hasSecrets}
        onChange={(event) => setHasSecrets(event.currentTarget.checked)}
      />
      {hasSecrets && (
        <>
          <PasswordInput
            label="Passphrase"
            description={`At least ${SHORTEST_PASSPHRASE} characters. Without it no one can open the secrets, not even you.`}
            value={passphrase}
            autoComplete="new-password"
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
          <PasswordInput
            label="Passphrase again"
            value={again}
            error={again !== '' && differs ? 'It is not the same.' : undefined}
            autoComplete="new-password"
            onChange={(event) => setAgain(event.currentTarget.value)}
          />
        </>
      )}
      <div>
        <Button
          type="submit"
          loading={exportArchive.isPending || exportJson.isPending}
          disabled={selection.parts.length === 0 || isShort || differs}
          leftSection={<IconDownload size={16} stroke={1.6} />}
        >
          Export
        </Button>
      </div>
    </form>
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
      className={classes['server']}
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <TextInput
        label="Address"
        description="Of a server that speaks the same API."
        placeholder="https://api.example.com"
        value={url}
        spellCheck={false}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <PasswordInput
        label="Secret key"
        description="Of the environment to write to. It is used now and not kept."
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
