import { Button, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { agentSessionsQueryOptions } from '../../api/agents/agents-queries.ts';
import { commandRunsQueryOptions } from '../../api/agents/command-runs.ts';
import type { ApprovalRow, McpClientRow } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useApprovalAnswer } from '../../api/mcp/mcp-mutations.ts';
import { mcpClientsQueryOptions, mcpDecisionsQueryOptions, useApprovals } from '../../api/mcp/mcp-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { ApprovalQuestion, ApprovalTitle } from '../../components/function/ApprovalQuestion.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PanelBoundary } from '../../components/page/PanelBoundary.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlHash } from '../../components/page/use-url-hash.ts';
import { useCommands } from '../../components/use-commands.ts';
import { KEY_MAP } from '../../lib/key-map.ts';
import { AgentLimits } from './AgentLimits.tsx';
import { AgentPrograms } from './AgentPrograms.tsx';
import { AgentSessions } from './AgentSessions.tsx';
import classes from './AgentsPage.module.css';
import { CommandRuns } from './CommandRuns.tsx';
import { McpCalls } from './McpCalls.tsx';
import { McpClients } from './McpClients.tsx';
import { McpDecisions } from './McpDecisions.tsx';
import { McpSetup } from './McpSetup.tsx';
import { McpTools } from './McpTools.tsx';
import { NewClient } from './NewClient.tsx';
import { NewSession } from './NewSession.tsx';

const TABS = ['programs', 'sessions', 'commands', 'limits', 'tools', 'decisions', 'calls', 'clients', 'setup'];

/** Agents that call actions as tools: how they connect, and what each may do. */
export function AgentsPage() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const clients = useQuery(mcpClientsQueryOptions(env));
  usePage([{ label: 'Agents' }]);
  if (clients.error && !clients.data)
    return <ErrorPanel error={clients.error} onRetry={() => void clients.refetch()} />;
  if (!clients.data || !meta) return null;
  return <Loaded clients={clients.data} base={meta.apiUrl} />;
}

function Loaded({ clients, base }: { clients: McpClientRow[]; base: string }) {
  const env = useEnv();
  const decisions = useQuery(mcpDecisionsQueryOptions(env)).data ?? [];
  const sessions = useQuery(agentSessionsQueryOptions(env)).data ?? [];
  const commands = useQuery(commandRunsQueryOptions(env)).data ?? [];
  const running = sessions.filter(({ state }) => state === 'active' || state === 'paused').length;
  const [tab, setTab] = useUrlHash('programs', TABS);
  const [isMaking, setMaking] = useState(false);
  const [isCreating, setCreating] = useState(false);
  /** Kept for the snippets until the page closes. */
  const [secret, setSecret] = useState<string>();
  const create = (): void => setCreating(true);
  const make = (): void => setMaking(true);
  useCommands([{ ...KEY_MAP.create, label: 'New session', run: make }]);
  return (
    <>
      <PageHeader title="Agents" sub={<CopyRow value={`${base}/agents/mcp`} label="Copy address for agents" />}>
        <Button variant="default" onClick={create}>
          New agent key
        </Button>
        <Button leftSection={<IconPlus size={16} stroke={1.6} />} onClick={make}>
          New session
        </Button>
      </PageHeader>
      <WaitingCalls />
      <Tabs value={tab} onChange={(next) => setTab(next ?? 'programs')}>
        <Tabs.List>
          <Tabs.Tab value="programs">Programs</Tabs.Tab>
          <Tabs.Tab value="sessions">
            Sessions <span className="faint">{running}</span>
          </Tabs.Tab>
          <Tabs.Tab value="commands">
            Commands <span className="faint">{commands.length}</span>
          </Tabs.Tab>
          <Tabs.Tab value="limits">Limits</Tabs.Tab>
          <Tabs.Tab value="tools">Tools</Tabs.Tab>
          <Tabs.Tab value="decisions">
            Decisions <span className="faint">{decisions.length}</span>
          </Tabs.Tab>
          <Tabs.Tab value="calls">Calls</Tabs.Tab>
          <Tabs.Tab value="clients">
            Keys <span className="faint">{clients.length}</span>
          </Tabs.Tab>
          <Tabs.Tab value="setup">With a key</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      <PanelBoundary resetKey={tab}>
        {tab === 'programs' && <AgentPrograms />}
        {tab === 'sessions' && <AgentSessions />}
        {tab === 'commands' && <CommandRuns />}
        {tab === 'limits' && <AgentLimits />}
        {tab === 'tools' && <McpTools clients={clients} />}
        {tab === 'decisions' && <McpDecisions />}
        {tab === 'calls' && <McpCalls />}
        {tab === 'clients' && <McpClients />}
        {tab === 'setup' && <McpSetup url={`${base}/mcp`} secret={secret} onCreate={create} />}
      </PanelBoundary>
      <NewSession
        isOpen={isMaking}
        onClose={(isDone) => {
          setMaking(false);
          if (isDone) setTab('sessions');
        }}
      />
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
    <div
      className="grid gap-12"
      style={{
        gridTemplateColumns: 'repeat(auto-fill, minmax(min(360px, 100%), 1fr))',
        alignItems: 'start',
        padding: '0 var(--hp-gutter) 16px',
      }}
    >
      {waiting.map((approval) => (
        <WaitingCall key={approval.id} approval={approval} />
      ))}
    </div>
  );
}

function WaitingCall({ approval }: { approval: ApprovalRow }) {
  const answer = useApprovalAnswer(approval);
  return (
    <section className={classes['call']} aria-label={`Call of ${approval.tool}`}>
      <h2>
        <ApprovalTitle approval={approval} />
      </h2>
      <ApprovalQuestion approval={approval} {...answer} maxHeight={120} />
    </section>
  );
}
