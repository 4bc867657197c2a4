import { Box, Button, Tabs } from '@mantine/core';
import { IconExternalLink, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useRef, useState } from 'react';
import { Link } from 'react-router';
import type { IntegrationDetail, TemplateRow } from '../../api/contract.ts';
import { useAddTemplate } from '../../api/functions/functions-mutations.ts';
import { useEditorOpener } from '../../api/hub/desktop-settings.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyButton } from '../../components/CopyButton.tsx';
import { SchemaView } from '../../components/json/SchemaView.tsx';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { useConfirm } from '../../components/notice/use-confirm.tsx';
import { PartLoading } from '../../components/page/PartLoading.tsx';
import { Tag } from '../../components/tag/Tag.tsx';
import { useFocusAfter } from '../../components/use-focus-after.ts';
import { chosenEditor, editorLink } from '../../lib/editors.ts';
import { paths } from '../../lib/paths.ts';
import classes from './TemplateBrowser.module.css';
import { TemplateTrial } from './TemplateTrial.tsx';

const CodeView = lazy(async () => ({ default: (await import('../../components/code/CodeView.tsx')).CodeView }));
const CodeDiff = lazy(async () => ({ default: (await import('../../components/code/CodeDiff.tsx')).CodeDiff }));

const PAD = { className: 'scroll', flex: 1, px: 'var(--hp-gutter)', pt: 16, pb: 32 };

interface TemplateDetailProps {
  row: TemplateRow;
  integration: IntegrationDetail;
  onAdd: () => void;
}

/** Describes a template, with ways to read it, try it, and copy it as one's own file. */
export function TemplateDetail({ row, integration, onAdd }: TemplateDetailProps) {
  const [tab, setTab] = useState<string | null>('code');
  const { blockedBy, canBeTried, code, description, file, inputSchema, name, outputSchema, ownCode, scopes } = row;
  return (
    <section className="stack" style={{ flex: 1, minHeight: 0 }} aria-label={`Template ${name}`}>
      <header className="row at-top wrap rigid" style={{ gap: '12px 16px', padding: '16px var(--hp-gutter) 8px' }}>
        <Box miw={0} flex="1 1 240px">
          <h2 className="row" style={{ paddingBottom: 2, fontSize: 15, lineHeight: '24px' }}>
            <code>{name}</code>
            <Tag>{row.type}</Tag>
          </h2>
          <p className="soft">{description}</p>
          <p className="flex wrap small faint breaks pt-4" style={{ gap: '4px 16px' }}>
            {row.frequency !== null && <span>Runs {row.frequency}</span>}
            {row.type === 'sync' && <span>{row.autoStart ? 'Starts automatically' : 'Started by your app'}</span>}
            {scopes.length > 0 && (
              <span>
                Needs <code>{scopes.join(' ')}</code>
              </span>
            )}
          </p>
        </Box>
        <TemplateActions row={row} integration={integration} onAdd={onAdd} />
      </header>
      {blockedBy.length > 0 && !row.isThere && (
        <p className="warn small breaks" style={{ padding: '0 var(--hp-gutter) 8px' }}>
          {blockedBy.join(', ')} {blockedBy.length === 1 ? 'exists' : 'exist'} with different content. Rename yours to
          add this.
        </p>
      )}
      <Tabs value={tab} onChange={setTab} keepMounted={false} className={classes['tabs'] ?? ''}>
        <Tabs.List>
          <Tabs.Tab value="code">Code</Tabs.Tab>
          <Tabs.Tab value="input">Input</Tabs.Tab>
          <Tabs.Tab value="output">Output</Tabs.Tab>
          {canBeTried && <Tabs.Tab value="try">Try it</Tabs.Tab>}
          {ownCode !== null && <Tabs.Tab value="difference">Difference</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="code" className={classes['code'] ?? ''}>
          <div className={`row rigid gutter line-below ${classes['file']}`}>
            <code className="cut">{file}</code>
            <CopyButton value={code} label="Copy code" />
          </div>
          <Suspense fallback={<PartLoading />}>
            <CodeView code={code} label={file} />
          </Suspense>
        </Tabs.Panel>
        <Tabs.Panel value="input" {...PAD}>
          {inputSchema ? (
            <SchemaView schema={inputSchema} label="input schema" />
          ) : (
            <p className="faint">
              {row.type === 'sync' ? 'The sync reads no metadata.' : 'The action takes no input.'}
            </p>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="output" {...PAD}>
          {outputSchema ? (
            <SchemaView schema={outputSchema} label="output schema" />
          ) : (
            <p className="faint">The function declares no output.</p>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="try" {...PAD}>
          <TemplateTrial row={row} integration={integration} />
        </Tabs.Panel>
        {ownCode !== null && (
          <Tabs.Panel value="difference" className={classes['code'] ?? ''}>
            <div className={`row rigid gutter line-below ${classes['file']}`}>
              <span className="soft">Template → {file}</span>
            </div>
            <Suspense fallback={<PartLoading />}>
              <CodeDiff before={code} after={ownCode} label={`${file}, template and your file`} />
            </Suspense>
          </Tabs.Panel>
        )}
      </Tabs>
    </section>
  );
}

function TemplateActions({ row, integration, onAdd }: TemplateDetailProps) {
  const env = useEnv();
  const add = useAddTemplate(integration.key);
  const confirm = useConfirm();
  const { name, type, isThere } = row;
  const box = useRef<HTMLDivElement>(null);
  // The button that added it is gone.
  useFocusAfter(!isThere, () => box.current?.querySelector('a'));
  if (isThere)
    return (
      <div ref={box} className="flex gap-8 wrap rigid">
        <Button component={Link} to={paths.function(env, { integrationKey: integration.key, name, type })}>
          Open
        </Button>
        <EditFile file={row.file} />
      </div>
    );
  const write = async (): Promise<void> => {
    onAdd();
    const { written } = await add.mutateAsync(row);
    notifyDone(`${name} is in your functions folder: ${written.join(', ')}`);
  };
  const start = (): void => {
    if (type === 'action') return void write().catch(notifyError);
    const every = row.frequency === null ? '' : ` It runs ${row.frequency}.`;
    confirm.ask({
      title: `Add ${name}?`,
      text: row.autoStart
        ? `It is deployed at once and starts for every connection of ${integration.displayName}.${every}`
        : `It is deployed at once. It starts for a connection when your app or you start it.${every}`,
      action: 'Add and deploy',
      isHarmless: true,
      run: write,
    });
  };
  return (
    <div ref={box} className="flex gap-8 wrap rigid">
      <Button
        leftSection={<IconPlus size={16} stroke={1.6} aria-hidden />}
        disabled={row.blockedBy.length > 0}
        loading={add.isPending}
        onClick={start}
      >
        Add to my functions
      </Button>
      {confirm.dialog}
    </div>
  );
}

/** The editor from the app's settings; in a browser, the editor that was chosen last. */
function EditFile({ file }: { file: string }) {
  const { data: meta } = useQuery(metaQueryOptions());
  const open = useEditorOpener();
  const target = { path: `${meta?.functionsFolder ?? ''}/${file}`, line: null };
  const icon = <IconExternalLink size={16} stroke={1.6} aria-hidden />;
  return open ? (
    <Button variant="default" leftSection={icon} onClick={() => void open(target).catch(notifyError)}>
      Open in editor
    </Button>
  ) : (
    <Button variant="default" leftSection={icon} component="a" href={editorLink(chosenEditor(), target)}>
      Open in editor
    </Button>
  );
}
