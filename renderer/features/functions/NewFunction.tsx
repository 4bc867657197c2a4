import { Button, Group, SegmentedControl, Select, Tabs, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import type { IntegrationListItem, ShownFunctionType } from '../../api/contract.ts';
import { useCreateFunction } from '../../api/functions/functions-mutations.ts';
import { templatesQueryOptions } from '../../api/functions/functions-queries.ts';
import { functionDraftQueryOptions, functionPromptQueryOptions } from '../../api/functions/new-function-queries.ts';
import { desktopSettingsQueryOptions, useEditorOpener } from '../../api/hub/desktop-settings.ts';
import { integrationChoicesQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { copyText } from '../../components/copy-text.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { UnsavedGuard } from '../../components/form/UnsavedGuard.tsx';
import { useUnsaved } from '../../components/form/unsaved-context.ts';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { ErrorPage, ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { Tag } from '../../components/tag/Tag.tsx';
import { ApiError } from '../../lib/api-error.ts';
import { chosenEditor, EDITORS, editorLink } from '../../lib/editors.ts';
import { paths } from '../../lib/paths.ts';
import classes from './NewFunction.module.css';

const CodeView = lazy(async () => ({ default: (await import('../../components/code/CodeView.tsx')).CodeView }));

const OpenApiFunctions = lazy(async () => ({
  default: (await import('./OpenApiFunctions.tsx')).OpenApiFunctions,
}));

const TYPES: Array<{ value: ShownFunctionType; label: string }> = [
  { value: 'sync', label: 'Sync' },
  { value: 'action', label: 'Action' },
  { value: 'on-event', label: 'Event handler' },
];

const ABOUT: Record<ShownFunctionType, string> = {
  sync: 'Copies records of the provider on a schedule.',
  action: 'Your app calls it with an input and gets an output.',
  'on-event': 'Runs when a connection is created, checked or deleted.',
};

const EXAMPLES: Record<ShownFunctionType, string> = {
  sync: 'fetch-contacts',
  action: 'create-contact',
  'on-event': 'after-connecting',
};

const STARTS = ['blank', 'description', 'openapi', 'template'] as const;
type Start = (typeof STARTS)[number];

const SUBS: Record<Start, string> = {
  blank: 'Writes a file that compiles into your functions folder, and opens it in your editor.',
  description: 'Say what it should do. Your agent gets the prompt, with what this hub knows, and writes the file.',
  openapi: 'Operations of an API become functions with their schemas, paging and a recorded run.',
  template:
    'Functions that ship with Homeport, with a recorded run to try them on. You can change them once they are added.',
};

/** A new function: from a blank file, from a description for an agent, from an API description, or from a template. */
export function NewFunction() {
  const env = useEnv();
  const integrations = useQuery(integrationChoicesQueryOptions(env));
  usePage([
    { label: 'Functions', to: paths.functions(env) },
    { label: 'New function', isTitle: true },
  ]);
  if (integrations.error)
    return <ErrorPage title="New function" error={integrations.error} onRetry={() => void integrations.refetch()} />;
  if (!integrations.data) return <PageSkeleton />;
  return integrations.data.length === 0 ? (
    <NoIntegration />
  ) : (
    <UnsavedGuard>
      <Starts integrations={integrations.data} />
    </UnsavedGuard>
  );
}

function NoIntegration() {
  const env = useEnv();
  return (
    <>
      <PageHeader title="New function" />
      <EmptyState
        title="No integrations yet"
        text="A function belongs to an integration: it runs for the integration's connections."
      >
        <Button component={Link} to={paths.newIntegration(env)}>
          New integration
        </Button>
      </EmptyState>
    </>
  );
}

/** Integration, type and name stay when the way of starting changes. */
function Starts({ integrations }: { integrations: IntegrationListItem[] }) {
  const url = useUrlState();
  const start = STARTS.find((one) => one === url.get('start')) ?? 'blank';
  const only = integrations.length === 1 ? integrations[0] : undefined;
  const chosen = integrations.find(({ key }) => key === url.get('integration')) ?? only;
  const [type, setType] = useState<ShownFunctionType>('sync');
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const endUnsavedGuard = useUnsaved('New function', name.trim() !== '' || description.trim() !== '');
  const integration = (
    <Select
      label="Integration"
      searchable
      data={integrations.map((one) => ({ value: one.key, label: `${one.displayName} (${one.key})` }))}
      value={chosen?.key ?? null}
      placeholder="Choose an integration"
      onChange={(key) => url.set({ integration: key ?? '' }, { replace: true })}
    />
  );
  const parts = { integrationKey: chosen?.key ?? '', integration, type, setType, name, setName, endUnsavedGuard };
  return (
    <>
      <PageHeader title="New function" sub={SUBS[start]} />
      <Tabs
        value={start}
        onChange={(next) => url.set({ start: next === 'blank' ? '' : (next ?? '') }, { replace: true })}
      >
        <Tabs.List>
          <Tabs.Tab value="blank">Blank</Tabs.Tab>
          <Tabs.Tab value="description">By description</Tabs.Tab>
          <Tabs.Tab value="openapi">From OpenAPI</Tabs.Tab>
          <Tabs.Tab value="template">From a template</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {start === 'blank' && <Blank {...parts} />}
      {start === 'description' && <Described {...parts} description={description} setDescription={setDescription} />}
      {start === 'openapi' && (
        <Suspense fallback={<PartLoading />}>
          <OpenApiFunctions integration={integration} integrationKey={parts.integrationKey} />
        </Suspense>
      )}
      {start === 'template' && <Templates integration={integration} integrationKey={parts.integrationKey} />}
    </>
  );
}

interface StartProps {
  /** Empty until one is chosen. */
  integrationKey: string;
  /** The field in which it is chosen. */
  integration: ReactNode;
  type: ShownFunctionType;
  setType: (type: ShownFunctionType) => void;
  name: string;
  setName: (name: string) => void;
  endUnsavedGuard: () => void;
}

/** The function that the fields name; an example stands in while there is no name. */
function useDraft({ integrationKey, name, type }: StartProps) {
  const env = useEnv();
  const [settled] = useDebouncedValue(name.trim(), 150);
  const named = { integrationKey, type, name: settled || EXAMPLES[type] };
  const draft = useQuery(functionDraftQueryOptions(env, named));
  const isSettled = settled === name.trim() && !draft.isPlaceholderData;
  return { draft, named, problem: isSettled && settled !== '' ? (draft.data?.problem ?? undefined) : undefined };
}

function TypeAndName({ type, setType, name, setName, error }: StartProps & { error: string | undefined }) {
  return (
    <>
      <div>
        <SegmentedControl
          aria-label="Type"
          fullWidth
          data={TYPES}
          value={type}
          onChange={(next) => setType(next as ShownFunctionType)}
        />
        <p className="soft" style={{ marginTop: 6 }}>
          {ABOUT[type]}
        </p>
      </div>
      <CodeInput
        label="Name"
        description="Letters, digits, - and _"
        placeholder={EXAMPLES[type]}
        value={name}
        error={error}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </>
  );
}

function Blank(props: StartProps) {
  const env = useEnv();
  const navigate = useNavigate();
  const { draft, named, problem } = useDraft(props);
  const create = useCreateFunction();
  const [refused, setRefused] = useState<string>();
  const open = useEditorOpener();
  const desktop = useQuery(desktopSettingsQueryOptions()).data;
  const scheme = desktop?.editor ?? chosenEditor();
  const editor = EDITORS.find((one) => one.scheme === scheme)?.name ?? 'the editor';
  const isReady = props.integrationKey !== '' && props.name.trim() !== '' && problem === undefined;
  const submit = async (): Promise<void> => {
    setRefused(undefined);
    try {
      const made = { integrationKey: named.integrationKey, type: named.type, name: props.name.trim() };
      const { file, path } = await create.mutateAsync(made);
      props.endUnsavedGuard();
      notifyDone(`${file} is in your functions folder`);
      void navigate(paths.function(env, made));
      // The browser asks before it starts another program; the page of the function has the same button.
      if (open) await open({ path, line: 1 });
      else window.location.assign(editorLink(scheme, { path, line: 1 }));
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) setRefused(error.message);
      else notifyError(error);
    }
  };
  return (
    <Group gap="24px 32px" align="stretch" px="var(--hp-gutter)" pt={16} pb={32}>
      <form
        className={`stack gap-16 ${classes['form']}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void submit();
        }}
      >
        {props.integration}
        <TypeAndName {...props} error={problem ?? refused} />
        <Group gap={8}>
          <Button type="submit" disabled={!isReady} loading={create.isPending}>
            Create and open in {editor}
          </Button>
          <Button variant="subtle" onClick={() => void navigate(-1)}>
            Cancel
          </Button>
        </Group>
        {props.type === 'sync' && (
          <p className="faint">
            It does not start by itself: the file says where to change that once the code is yours.
          </p>
        )}
      </form>
      {draft.error && !draft.data && <ErrorPanel error={draft.error} />}
      {draft.data && (
        <section
          className="card sunken"
          style={{ flex: '999 1 420px', minWidth: 0, overflow: 'hidden' }}
          aria-label="The new file"
        >
          <div className={`row line-below ${classes['file']}`} style={{ height: 36, padding: '0 8px 0 12px' }}>
            <code className="cut">{draft.data.file}</code>
          </div>
          <div className="scroll" style={{ maxHeight: '62vh' }}>
            <Suspense fallback={<PartLoading />}>
              <CodeView code={draft.data.code} label={draft.data.file} />
            </Suspense>
          </div>
        </section>
      )}
    </Group>
  );
}

interface DescribedProps extends StartProps {
  description: string;
  setDescription: (text: string) => void;
}

/** The prompt starts with what the person wrote. Homeport itself asks no model. */
function Described({ description, setDescription, ...props }: DescribedProps) {
  const env = useEnv();
  const { named, problem } = useDraft(props);
  const { data: facts, error } = useQuery(functionPromptQueryOptions(env, named));
  const isReady = facts !== undefined && description.trim() !== '' && problem === undefined;
  const text = `${description.trim() || 'The prompt appears here once you describe the function.'}\n\n${facts ?? ''}`;
  return (
    <Group gap="24px 32px" align="stretch" px="var(--hp-gutter)" pt={16} pb={32}>
      <div className={`stack gap-16 ${classes['form']}`}>
        {props.integration}
        <TypeAndName {...props} error={problem} />
        <Textarea
          label="What should it do?"
          description="Which data, when, and what must never happen."
          autosize
          minRows={4}
          maxRows={12}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <Group gap={8}>
          <Button disabled={!isReady} onClick={() => void copyText(text, 'Prompt copied. Paste it into your agent.')}>
            Copy the prompt
          </Button>
        </Group>
        <p className="faint">Homeport itself calls no model. The prompt contains no credentials and no records.</p>
      </div>
      {error && !facts && <ErrorPanel error={error} />}
      {facts !== undefined && (
        <section
          className="card sunken"
          style={{ flex: '999 1 420px', minWidth: 0, overflow: 'hidden' }}
          aria-label="The prompt"
        >
          <div className={`row line-below ${classes['file']}`} style={{ height: 36, padding: '0 8px 0 12px' }}>
            <span className="soft">Prompt</span>
            {isReady && <CopyButton value={text} label="Copy prompt" />}
          </div>
          <pre
            className="breaks scroll pre-wrap"
            style={{ maxHeight: '62vh', padding: 12, font: '12px / 20px var(--mantine-font-family-monospace)' }}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
            tabIndex={0}
          >
            {text}
          </pre>
        </section>
      )}
    </Group>
  );
}

/** The templates of the integration lead to their own page, where they are read, tried and added. */
function Templates({ integration, integrationKey }: Pick<StartProps, 'integration' | 'integrationKey'>) {
  const env = useEnv();
  const { data, error, refetch } = useQuery({
    ...templatesQueryOptions(env, integrationKey),
    enabled: integrationKey !== '',
  });
  return (
    <Group gap="24px 32px" align="stretch" px="var(--hp-gutter)" pt={16} pb={32}>
      <div className={`stack gap-16 ${classes['form']}`}>{integration}</div>
      <div style={{ flex: '999 1 420px', minWidth: 0 }}>
        {error && !data && <ErrorPanel error={error} onRetry={() => void refetch()} />}
        {data?.length === 0 && (
          <EmptyState
            title="No templates"
            text="Homeport has none for this provider. Start blank, or by description."
          />
        )}
        {data && data.length > 0 && (
          <ul className="line-above" aria-label="Templates">
            {data.map(({ description, isThere, name, type }) => (
              <li className="line-below" key={`${type}/${name}`}>
                <Link
                  className="item pt-8 pb-8"
                  style={{ color: 'inherit' }}
                  to={`${paths.integration(env, integrationKey, 'templates')}?${new URLSearchParams({ template: name, type })}`}
                >
                  <span className="row">
                    <code className="name cut">{name}</code>
                    <Tag>{type}</Tag>
                    {isThere && <span className="faint">Added</span>}
                  </span>
                  <span className="soft">{description}</span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Group>
  );
}
