import { Button } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router';
import type { CatalogFinding, ProviderEntryText } from '../../api/contract.ts';
import { useSaveProviderEntry } from '../../api/integrations/integrations-mutations.ts';
import {
  checkedEntriesQueryOptions,
  providerEntryQueryOptions,
  providerQueryOptions,
} from '../../api/integrations/integrations-queries.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { YamlEditor } from '../../components/code/YamlEditor.tsx';
import { UnsavedGuard } from '../../components/form/UnsavedGuard.tsx';
import { useUnsaved } from '../../components/form/unsaved-context.ts';
import { notifyDone } from '../../components/notice/notify.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { ErrorPage, ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { paths } from '../../lib/paths.ts';
import { EntryForm } from './EntryForm.tsx';
import { EntryTrial } from './EntryTrial.tsx';
import { readEntryDocument } from './entry-document.ts';
import { FromDescription } from './FromDescription.tsx';
import classes from './ProviderEntryPage.module.css';

/** Milliseconds of the debounce before the typed text is checked. */
const CHECK_AFTER_MS = 250;
/** The file name in findings about an unsaved text. */
const UNSAVED = 'this entry';

/** A provider's entry as a form and as YAML, side by side. */
export function ProviderEntryPage() {
  const env = useEnv();
  const { provider } = useParams();
  const [query] = useSearchParams();
  usePage([
    { label: 'Integrations', to: paths.integrations(env) },
    { label: 'New integration', to: paths.newIntegration(env) },
    provider ? { label: provider } : { label: 'Define a provider', isTitle: true },
  ]);
  if (provider === undefined)
    return <Editor stored={{ file: null, text: beginning(query.get('name') ?? ''), isBuiltIn: false }} />;
  return <Stored provider={provider} />;
}

function Stored({ provider }: { provider: string }) {
  const stored = useQuery(providerEntryQueryOptions(provider));
  if (stored.error)
    return <ErrorPage title="Define a provider" error={stored.error} onRetry={() => void stored.refetch()} />;
  if (!stored.data) return <PageSkeleton />;
  return <Editor stored={stored.data.text === '' ? { ...stored.data, text: beginning(provider) } : stored.data} />;
}

function Editor({ stored }: { stored: ProviderEntryText }) {
  return (
    <UnsavedGuard>
      <Form stored={stored} />
    </UnsavedGuard>
  );
}

function Form({ stored }: { stored: ProviderEntryText }) {
  const env = useEnv();
  const navigate = useNavigate();
  const location = useLocation();
  const [text, setText] = useState(stored.text);
  const entry = useMemo(() => readEntryDocument(text), [text]);
  const [resting] = useDebouncedValue(text, CHECK_AFTER_MS);
  const check = useQuery(checkedEntriesQueryOptions(UNSAVED, resting));
  const base = useQuery(providerQueryOptions(stored.isBuiltIn ? entry?.name : undefined));
  const save = useSaveProviderEntry();
  const endUnsavedGuard = useUnsaved('the entry', text !== stored.text);
  const problems = check.data?.problems ?? [];
  const warnings = check.data?.warnings ?? [];
  const faultyLines = useMemo(() => (check.data?.problems ?? []).map(({ line }) => line), [check.data]);
  const checked = check.data?.entries[0];
  const isChecking = text !== resting || check.isFetching;
  const isSound = !isChecking && problems.length === 0 && checked !== undefined;
  const state = isSound ? 'The entry is valid.' : isChecking ? 'Checking…' : 'The text contains no entry.';
  const isNew = stored.file === null && !stored.isBuiltIn;
  const submit = (): void => {
    if (!checked) return;
    save.mutate(
      { provider: checked.name, text },
      {
        onSuccess: () => {
          endUnsavedGuard();
          notifyDone(`${checked.displayName} saved and approved`);
          if (isNew) void navigate(paths.newIntegration(env, checked.name), { state: location.state });
          // A changed key makes another entry.
          else void navigate(paths.providerEntry(env, checked.name), { replace: true });
        },
      },
    );
  };
  return (
    <>
      <PageHeader
        title={isNew ? 'Define a provider' : `Definition of ${entry?.name ?? ''}`}
        sub={<span className="soft">{subOf(stored)}</span>}
      >
        {isNew && <FromDescription onProposed={(proposed) => setText(proposed.text)} />}
        {stored.file !== null && <Remove name={entry?.name ?? ''} onRemoved={endUnsavedGuard} />}
        <Button onClick={submit} loading={save.isPending} disabled={!isSound}>
          Save and approve
        </Button>
      </PageHeader>
      <div className={`fills line-above grid ${classes['columns']}`}>
        <section style={{ display: 'contents' }} aria-label="Form">
          <div className="stack gap-16 scroll" style={{ gridArea: 'fields', padding: '20px var(--hp-gutter) 32px' }}>
            {entry ? (
              <EntryForm
                text={text}
                entry={entry}
                onChange={setText}
                isOverride={stored.isBuiltIn}
                base={base.data}
                problems={problems}
              />
            ) : (
              <p className="soft">The YAML cannot be read as one entry. The form works again when it can.</p>
            )}
          </div>
          {checked && isSound && (
            <div className={`scroll line-above ${classes['trial']}`}>
              <EntryTrial text={text} provider={checked.name} authMode={checked.authMode} />
            </div>
          )}
        </section>
        <section className={`stack ${classes['text']}`} aria-label="YAML">
          <div className={classes['editor']} style={{ flex: 1, minHeight: 240 }}>
            <YamlEditor value={text} label="Entry in YAML" faultyLines={faultyLines} onChange={setText} />
          </div>
          {check.error && !isChecking ? (
            <div
              className={`rigid scroll line-above ${classes['findings']}`}
              style={{ maxHeight: 180, padding: '10px 16px' }}
            >
              <ErrorPanel error={check.error} onRetry={() => void check.refetch()} />
            </div>
          ) : (
            <Findings problems={problems} warnings={warnings} state={state} />
          )}
        </section>
      </div>
    </>
  );
}

/** The catalogue's messages, with their lines. */
function Findings(props: { problems: CatalogFinding[]; warnings: CatalogFinding[]; state: string }) {
  const { problems, warnings, state } = props;
  const lines = [
    ...problems.map((one) => ({ ...one, tone: 'bad' })),
    ...warnings.map((one) => ({ ...one, tone: 'warn' })),
  ];
  return (
    <div
      className={`rigid scroll line-above ${classes['findings']}`}
      style={{ maxHeight: 180, padding: '10px 16px' }}
      aria-live="polite"
    >
      {lines.length === 0 && <p className="faint">{state}</p>}
      <ul>
        {lines.map(({ line, keyPath, reason, tone }) => (
          <li className="grid gap-8" key={`${line}${keyPath}${reason}`} data-tone={tone}>
            <code className="faint">{line > 0 ? `line ${line}` : ''}</code>
            <span>
              {keyPath !== '' && <code>{keyPath}</code>} {reason}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Remove({ name, onRemoved }: { name: string; onRemoved: () => void }) {
  const env = useEnv();
  const navigate = useNavigate();
  const remove = useChange('DELETE /api/v1/provider-entries/:provider', { ownError: true });
  const confirm = useConfirm();
  const ask = (): void =>
    confirm.ask({
      title: `Remove the entry of ${name}?`,
      text: 'It is removed from your provider files. Integrations that use a provider of your own keep its last copy; a built-in provider is used unchanged again.',
      action: 'Remove entry',
      run: async () => {
        await remove.mutateAsync({ params: { provider: name } });
        onRemoved();
        await navigate(paths.newIntegration(env));
      },
    });
  return (
    <>
      <Button variant="default" data-tone="bad" onClick={ask}>
        Remove
      </Button>
      {confirm.dialog}
    </>
  );
}

function subOf({ file, isBuiltIn }: ProviderEntryText): string {
  if (file !== null) return `${file} in your functions folder`;
  return isBuiltIn
    ? 'Built in. What you write here is merged over it, in providers.yaml of your functions folder.'
    : 'Goes to providers.yaml in your functions folder. Saving approves it.';
}

/** A first valid entry with the typed name. */
function beginning(name: string): string {
  const key = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '');
  return [
    `${key === '' ? 'my-provider' : key}:`,
    `  display_name: ${JSON.stringify(name.trim() === '' ? 'My provider' : name.trim())}`,
    '  auth_mode: API_KEY',
    '  # Where requests go, and how the key is sent along',
    '  proxy:',
    '    base_url: https://api.example.com',
    '    headers:',
    '      authorization: Bearer ${apiKey}',
    '  credentials:',
    '    apiKey:',
    '      type: string',
    '      title: API key',
    '      description: From your account at the provider',
    '      secret: true',
    '',
  ].join('\n');
}
