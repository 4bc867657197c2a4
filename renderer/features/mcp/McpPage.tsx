import { Button, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApprovalRow, McpClientRow } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useApprovalAnswer } from '../../api/mcp/mcp-mutations.ts';
import { mcpClientsQueryOptions, mcpDecisionsQueryOptions, useApprovals } from '../../api/mcp/mcp-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { ApprovalQuestion, ApprovalTitle } from '../../components/function/ApprovalQuestion.tsx';
import { notifyError } from '../../components/notice/notify.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PanelBoundary } from '../../components/page/PanelBoundary.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlHash } from '../../components/page/use-url-hash.ts';
import { useCommands } from '../../components/use-commands.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { McpCalls } from './McpCalls.tsx';
import { McpClients } from './McpClients.tsx';
import { McpDecisions } from './McpDecisions.tsx';
import classes from './McpPage.module.css';
import { McpSetup } from './McpSetup.tsx';
import { McpTools } from './McpTools.tsx';
import { NewClient } from './NewClient.tsx';

const TABS = ['tools', 'decisions', 'calls', 'clients', 'setup'];

/** Agents that call actions as tools: how they connect, and what each may do. */
export function McpPage() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const clients = useQuery(mcpClientsQueryOptions(env));
  usePage([{ label: 'MCP' }]);
  if (clients.error && !clients.data)
    return <ErrorPanel error={clients.error} onRetry={() => void clients.refetch()} />;
  if (!clients.data || !meta) return null;
  return <Loaded clients={clients.data} url={`${meta.apiUrl}/mcp`} />;
}

function Loaded({ clients, url }: { clients: McpClientRow[]; url: string }) {
  const env = useEnv();
  const hasAgents = clients.some(({ isAgent }) => isAgent);
  const decisions = useQuery(mcpDecisionsQueryOptions(env)).data ?? [];
  // A person without a client opens the page to connect one.
  const [tab, setTab] = useUrlHash(hasAgents ? 'tools' : 'setup', TABS);
  const [isCreating, setCreating] = useState(false);
  /** Kept for the snippets until the page closes. */
  const [secret, setSecret] = useState<string>();
  const create = (): void => setCreating(true);
  useCommands([{ ...KEY_MAP.create, label: 'New agent key', run: create }]);
  return (
    <>
      <PageHeader title="MCP" sub={<CopyRow value={url} label="Copy server address" />}>
        <Button leftSection={<IconPlus size={16} stroke={1.6} />} onClick={create}>
          New agent key
        </Button>
      </PageHeader>
      <WaitingCalls />
      <Tabs value={tab} onChange={(next) => setTab(next ?? 'tools')}>
        <Tabs.List>
          <Tabs.Tab value="tools">Tools</Tabs.Tab>
          <Tabs.Tab value="decisions">
            Decisions <span className="faint">{decisions.length}</span>
          </Tabs.Tab>
          <Tabs.Tab value="calls">Calls</Tabs.Tab>
          <Tabs.Tab value="clients">
            Clients <span className="faint">{clients.length}</span>
          </Tabs.Tab>
          <Tabs.Tab value="setup">Set up</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <PanelBoundary resetKey={tab}>
        {tab === 'tools' && <McpTools clients={clients} />}
        {tab === 'decisions' && <McpDecisions />}
        {tab === 'calls' && <McpCalls />}
        {tab === 'clients' && <McpClients />}
        {tab === 'setup' && <McpSetup url={url} secret={secret} onCreate={create} />}
      </PanelBoundary>
      <NewClient
        isOpen={isCreating}
        onCreated={setSecret}
        onClose={(isDone) => {
          setCreating(false);
          if (isDone) setTab('setup');
        }}
      />
    </>
  );
}

/** Postponed calls can be answered here. */
function WaitingCalls() {
  const waiting = useApprovals();
  if (waiting.length === 0) return null;
  return (
    <div className={classes['waiting']}>
      {waiting.map((approval) => (
        <WaitingCall key={approval.id} approval={approval} />
      ))}
    </div>
  );
}

function WaitingCall({ approval }: { approval: ApprovalRow }) {
  const answer = useApprovalAnswer(approval, notifyError);
  return (
    <section className={classes['call']} aria-label={`Call of ${approval.tool}`}>
      <h2>
        <ApprovalTitle approval={approval} />
      </h2>
      <ApprovalQuestion approval={approval} {...answer} maxHeight={120} />
    </section>
  );
}
