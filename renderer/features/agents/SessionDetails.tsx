import { Button, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { AgentSessionListRow } from '../../api/contract.ts';
import { useChange } from '../../api/use-change.ts';
import { useEnv } from '../../api/use-env.ts';
import { Fact, FactList } from '../../components/FactList.tsx';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatNumber } from '../../lib/format-number.ts';
import { paths } from '../../lib/paths.ts';
import { ChangeLimits } from './AgentLimits.tsx';
import classes from './SessionDetails.module.css';
import { SessionTimeline } from './SessionTimeline.tsx';

const TITLE = { margin: '0 0 8px', fontSize: 14 };

/** What a session did, what it may do, and what it read of strangers. */
export function SessionDetails({
  session,
  title,
  onClose,
}: {
  session: AgentSessionListRow;
  title: string;
  onClose: () => void;
}) {
  return (
    <OpenModal onClose={onClose} title={title} size={640}>
      <Stack gap={20}>
        <Timeline session={session} />
        <Limits session={session} title={title} />
        <StrangersText session={session} />
      </Stack>
    </OpenModal>
  );
}

function Timeline({ session }: { session: AgentSessionListRow }) {
  const env = useEnv();
  return (
    <section aria-label="Timeline">
      <h3 style={TITLE}>Timeline</h3>
      <SessionTimeline session={session} />
      <Link to={paths.sessionLog(env, session.id)}>Open in logs</Link>
    </section>
  );
}

/** "3 of 1,000", or what was counted when there is no limit. */
function usedOf(used: number, limit: number | null): string {
  return limit === null ? `${formatNumber(used)}, no limit` : `${formatNumber(used)} of ${formatNumber(limit)}`;
}

function Limits({ session, title }: { session: AgentSessionListRow; title: string }) {
  const [isChanging, setChanging] = useState(false);
  const { id, limits, used } = session;
  return (
    <section aria-label="Limits">
      <h3 style={TITLE}>Limits</h3>
      <FactList wide>
        <Fact label="Calls a minute">
          {limits.callsPerMinute === null ? 'No limit' : formatNumber(limits.callsPerMinute)}
        </Fact>
        <Fact label="Calls">{usedOf(used.calls, limits.calls)}</Fact>
        <Fact label="Writes">{usedOf(used.writes, limits.writes)}</Fact>
        {(limits.cost !== null || used.cost > 0) && <Fact label="Cost">{usedOf(used.cost, limits.cost)}</Fact>}
        {limits.repeats !== null && (
          <Fact label="The same call in a row">{formatNumber(limits.repeats)} times, then you are asked</Fact>
        )}
        {limits.hosts !== null && <Fact label="Hosts">{limits.hosts.join(', ')}</Fact>}
        {limits.methods !== null && <Fact label="Methods">{limits.methods.join(', ')}</Fact>}
      </FactList>
      {session.endedAt === null && (
        <Button mt={8} size="xs" variant="default" onClick={() => setChanging(true)}>
          Change limits
        </Button>
      )}
      {isChanging && (
        <ChangeLimits of={{ kind: 'session', id }} title={`Limits of ${title}`} onClose={() => setChanging(false)} />
      )}
    </section>
  );
}

function StrangersText({ session }: { session: AgentSessionListRow }) {
  const change = useChange('PATCH /api/v1/agents/sessions/:sessionId');
  const isAsked = session.untrustedContent === 'ask';
  return (
    <section aria-label="Text by strangers">
      <h3 style={TITLE}>Text by strangers</h3>
      {session.untrustedReads.length === 0 ? (
        <p className={`soft ${classes['reads']}`}>This session has read none.</p>
      ) : (
        <ul className={classes['reads']}>
          {session.untrustedReads.map(({ connectionId, integrationKey, readAt, tool }) => (
            <li key={`${tool}${integrationKey}${connectionId}`}>
              <code>{tool}</code> of {integrationKey}, {connectionId}, <RelativeTime at={readAt} />
            </li>
          ))}
        </ul>
      )}
      <Switch
        label="Ask before each write after such text"
        description="Mail, issues and pages can contain instructions for the agent."
        checked={isAsked}
        disabled={change.isPending || session.endedAt !== null}
        onChange={() =>
          change.mutate({ params: { sessionId: session.id }, body: { untrustedContent: isAsked ? 'ignore' : 'ask' } })
        }
      />
    </section>
  );
}
