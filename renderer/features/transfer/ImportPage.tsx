import { Button, FileButton, PasswordInput, SegmentedControl, TextInput } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { type ChangeEvent, useContext, useEffect, useState } from 'react';
import { Link } from 'react-router';
import type { ShownTransferSource, TransferPreviewResponse } from '../../api/contract.ts';
import { desktopBridge } from '../../api/desktop-bridge.ts';
import { useIsImporting, usePreviewTransfer } from '../../api/transfer/transfer-mutations.ts';
import { useEnv } from '../../api/use-env.ts';
import { DroppedFileContext } from '../../components/form/dropped-file.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { bytesOf } from '../../lib/base64.ts';
import { paths } from '../../lib/paths.ts';
import {
  type ArchiveFile,
  KIND_LABELS,
  type RecognisedFile,
  readRecognised,
  type TextFile,
} from '../../lib/recognised-file.ts';
import { ConnectionListImport } from './ConnectionListImport.tsx';
import { FileGuide } from './FileGuide.tsx';
import { ImportPreview } from './ImportPreview.tsx';
import { ProviderFileImport } from './ProviderFileImport.tsx';
import classes from './TransferPages.module.css';

/** Imports a file of any known kind, or from another server with the same API. */
export function ImportPage() {
  const env = useEnv();
  const url = useUrlState();
  const source = url.get('source') === 'server' ? 'server' : 'file';
  const dropped = useContext(DroppedFileContext);
  const [file, setFile] = useState<{ file: RecognisedFile; at: number }>();
  usePage([{ label: 'Import' }]);
  const take = (next: RecognisedFile): void => setFile((old) => ({ file: next, at: (old?.at ?? 0) + 1 }));
  const { put } = dropped;
  // A file opened with the desktop app, which the app hands over once; it is treated like a dropped one.
  useEffect(() => {
    void desktopBridge()
      ?.takeOpenedFile()
      .then(async (opened) => opened && put(await readRecognised(new File([bytesOf(opened.base64)], opened.name))));
  }, [put]);
  useEffect(() => {
    if (!dropped.file) return;
    const next = dropped.file;
    dropped.put(undefined);
    setFile((old) => ({ file: next, at: (old?.at ?? 0) + 1 }));
    if (source !== 'file') url.set({ source: '' });
  }, [dropped, source, url]);
  return (
    <>
      <PageHeader
        title="Import"
        sub={<span className="soft">Into {env}. Nothing is written before you have seen it.</span>}
      >
        <Button component={Link} variant="default" to={paths.export(env)}>
          Export instead
        </Button>
      </PageHeader>
      <div className={`stack scroll ${classes['page']}`}>
        <SegmentedControl
          aria-label="Where from"
          value={source}
          onChange={(next) => url.set({ source: next === 'file' ? '' : next })}
          data={[
            { value: 'file', label: 'A file' },
            { value: 'server', label: 'Another server' },
          ]}
        />
        {source === 'server' ? (
          <FromServer />
        ) : (
          <>
            <FileBox name={file?.file.name} kind={file && KIND_LABELS[file.file.kind]} onFile={take} />
            {file ? <OfKind key={file.at} file={file.file} /> : <FileGuide />}
          </>
        )}
      </div>
    </>
  );
}

function FileBox(props: {
  name: string | undefined;
  kind: string | undefined;
  onFile: (file: RecognisedFile) => void;
}) {
  const take = (file: File | null): void => {
    if (file) void readRecognised(file).then(props.onFile);
  };
  return (
    <div className={`row wrap sunken ${classes['drop']}`}>
      <IconFileImport size={22} stroke={1.5} aria-hidden />
      <div>
        <p className="name">{props.name === undefined ? 'Drop a file anywhere on this window' : props.name}</p>
        <p className="soft">{props.kind ?? 'Homeport sees by its content what it is, and asks before it writes.'}</p>
      </div>
      <FileButton onChange={take}>
        {(button) => (
          <Button variant="default" {...button}>
            Choose a file
          </Button>
        )}
      </FileButton>
    </div>
  );
}

function OfKind({ file }: { file: RecognisedFile }) {
  const env = useEnv();
  switch (file.kind) {
    case 'export':
    case 'archive':
      return <FromExport file={file} />;
    case 'connections':
      return <ConnectionListImport file={file} />;
    case 'providers':
      return <ProviderFileImport file={file} />;
    case 'variables':
      return (
        <p className="soft">
          Variables are imported in the{' '}
          <Link to={paths.settings(env, 'function-env-vars')}>settings of the environment</Link>: paste the file there.
        </p>
      );
    case 'requests':
      return (
        <p className="soft">
          Requests are imported in the <Link to={paths.playgroundRequests(env)}>playground</Link>, for the connection
          that is chosen there: Saved requests, Import.
        </p>
      );
    default:
      return <p className="soft">Homeport does not know this kind of file.</p>;
  }
}

function FromExport({ file }: { file: TextFile | ArchiveFile }) {
  const preview = usePreviewTransfer();
  const [passphrase, setPassphrase] = useState('');
  const read = preview.mutate;
  const source = (): ShownTransferSource => ({
    ...('archive' in file
      ? { kind: 'archive', archive: file.archive }
      : { kind: 'file', file: JSON.parse(file.text) as Record<string, unknown> }),
    ...(passphrase === '' ? {} : { passphrase }),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each file; the passphrase is sent by its button
  useEffect(() => read({ source: source() }), [read, file]);
  return (
    <>
      {preview.error && <ErrorPanel error={preview.error} onRetry={() => read({ source: source() })} />}
      {(preview.data?.needsPassphrase || (preview.error && passphrase !== '')) && (
        <form
          className={`flex gap-8 at-bottom ${classes['line']}`}
          onSubmit={(event) => {
            event.preventDefault();
            read({ source: source() });
          }}
        >
          <PasswordInput
            label="Passphrase"
            description="The file holds credentials under it. Without it they are not imported."
            value={passphrase}
            autoComplete="off"
            onChange={(event) => setPassphrase(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={preview.isPending} disabled={passphrase === ''}>
            Open
          </Button>
        </form>
      )}
      {preview.data && <Preview preview={preview.data} source={preview.variables.source} />}
    </>
  );
}

function FromServer() {
  const preview = usePreviewTransfer();
  const isImporting = useIsImporting();
  const [url, setUrl] = useState('');
  const [secretKey, setSecretKey] = useState('');
  const source = (): ShownTransferSource => ({ kind: 'server', url, secretKey });
  /** Another address or key needs another preview. */
  const change = (write: (value: string) => void) => (event: ChangeEvent<HTMLInputElement>) => {
    write(event.currentTarget.value);
    preview.reset();
  };
  return (
    <>
      <form
        className="stack gap-12"
        style={{ maxWidth: 480 }}
        onSubmit={(event) => {
          event.preventDefault();
          preview.mutate({ source: source() });
        }}
      >
        <TextInput
          label="Address"
          description="The address of a server with the same API, in the cloud or your own."
          placeholder="https://api.example.com"
          value={url}
          spellCheck={false}
          disabled={isImporting}
          onChange={change(setUrl)}
        />
        <PasswordInput
          label="Secret key"
          description="The key of the environment to read. It is used once and not stored."
          value={secretKey}
          autoComplete="off"
          disabled={isImporting}
          onChange={change(setSecretKey)}
        />
        <div>
          <Button
            type="submit"
            loading={preview.isPending}
            disabled={isImporting || url.trim() === '' || secretKey.trim() === ''}
          >
            Read
          </Button>
        </div>
      </form>
      {preview.error && <ErrorPanel error={preview.error} onRetry={() => preview.mutate({ source: source() })} />}
      {preview.data && <Preview preview={preview.data} source={preview.variables.source} />}
    </>
  );
}

/** Another preview starts again. */
function Preview(props: { preview: TransferPreviewResponse; source: ShownTransferSource }) {
  const [shown, setShown] = useState({ preview: props.preview, at: 0 });
  if (shown.preview !== props.preview) setShown({ preview: props.preview, at: shown.at + 1 });
  return <ImportPreview key={shown.at} {...props} />;
}
