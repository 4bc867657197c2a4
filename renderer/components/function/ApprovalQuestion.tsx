import { ActionIcon, Box, Button, Menu, Textarea } from '@mantine/core';
import { IconChevronDown, IconShieldCheck } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { ApprovalRow } from '../../api/contract.ts';
import { approvalSentence } from '../../lib/mcp-policy.ts';
import { Fact, FactList } from '../FactList.tsx';
import { WholeJson } from '../json/WholeJson.tsx';
import classes from './ApprovalQuestion.module.css';
import { PreviewedWrites } from './PreviewedWrites.tsx';

type Decision = 'allow-once' | 'allow-session' | 'allow-always' | 'deny' | 'deny-always';

/** Milliseconds that a question is shown before it accepts an answer. */
const PAUSE_MS = 500;

/** Who asks for what, and the remaining time. */
export function ApprovalTitle({ approval }: { approval: ApprovalRow }) {
  const seconds = useSecondsLeft(approval.expiresAt);
  return (
    <span className="row" style={{ gap: 10 }}>
      <IconShieldCheck
        className="rigid"
        data-tone={approval.risk === 'delete' ? 'bad' : 'run'}
        size={18}
        stroke={1.6}
        aria-hidden
      />
      <span className="grow breaks">{approvalSentence(approval)}</span>
      <span className="rigid soft numbers" style={{ fontWeight: 400 }} aria-hidden>
        {seconds} s
      </span>
    </span>
  );
}

interface ApprovalQuestionProps {
  approval: ApprovalRow;
  /** The connection of the call. */
  connection: ConnectionNameProps;
  /** Why the call cannot be allowed with these arguments. */
  problemWith: (narrowed: Record<string, unknown>) => string | undefined;
  isSending: boolean;
  /** `narrowed`: the arguments to use in place of the original ones. */
  onDecide: (decision: Decision, narrowed?: Record<string, unknown>) => void;
  /** The question takes the focus when it appears, on its safe answer. */
  takesFocus?: boolean;
  maxHeight?: number;
}

/** What the call would do, and the possible answers. Give it the call's id as key: opened details must not carry over to the next call. */
export function ApprovalQuestion(props: ApprovalQuestionProps) {
  const { approval, connection, problemWith, maxHeight = 280 } = props;
  const [draft, setDraft] = useState<string>();
  const narrowed = draft === undefined ? undefined : readObject(draft);
  const isUnreadable = draft !== undefined && !narrowed;
  const problem = isUnreadable ? 'This is not a JSON object.' : narrowed && problemWith(narrowed);
  return (
    <>
      <TimeBar approval={approval} />
      <div className={`pt-12 pb-4 ${classes['facts']}`}>
        <FactList>
          <Fact label="Tool">
            <code>{approval.tool}</code>
          </Fact>
          {approval.reasons.length > 0 && <Fact label="Why">{approval.reasons.join(' ')}</Fact>}
          {approval.change !== null && <Fact label="Changed">{approval.change}</Fact>}
          <Fact label="Connection">
            <ConnectionName {...connection} />
          </Fact>
          {approval.preview !== null && (
            <Fact label="Would send">
              <PreviewedWrites preview={approval.preview} maxHeight={maxHeight} />
            </Fact>
          )}
          <Fact label="Arguments">
            <Arguments
              value={approval.arguments}
              draft={draft}
              problem={problem}
              maxHeight={maxHeight}
              onDraft={setDraft}
            />
          </Fact>
        </FactList>
      </div>
      <Answers
        {...props}
        canAllow={problem === undefined}
        onDecide={(decision) => props.onDecide(decision, decision.startsWith('allow') ? narrowed : undefined)}
      />
    </>
  );
}

interface ArgumentsProps {
  value: Record<string, unknown>;
  /** The arguments as a person narrowed them; undefined until then. */
  draft: string | undefined;
  /** Why the draft cannot be allowed. */
  problem: string | undefined;
  maxHeight: number;
  onDraft: (text: string | undefined) => void;
}

/** The arguments of the tool. A person may remove parts, never add: the server enforces it. */
function Arguments({ value, draft, problem, maxHeight, onDraft }: ArgumentsProps) {
  if (Object.keys(value).length === 0) return <span className="soft">None</span>;
  if (draft === undefined)
    return (
      <Box w="100%">
        <WholeJson value={value} label="arguments" maxHeight={maxHeight} />
        <Button size="xs" variant="subtle" onClick={() => onDraft(JSON.stringify(value, null, 2))}>
          Narrow the arguments
        </Button>
      </Box>
    );
  return (
    <Box w="100%">
      <Textarea
        aria-label="Arguments of the call"
        description="Remove members or list items. Nothing can be added or changed."
        classNames={{ input: 'mono' }}
        autosize
        minRows={3}
        maxRows={10}
        spellCheck={false}
        error={problem}
        value={draft}
        onChange={(event) => onDraft(event.currentTarget.value)}
      />
      <Button size="xs" variant="subtle" onClick={() => onDraft(undefined)}>
        As requested
      </Button>
    </Box>
  );
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // The field shows the error.
    return undefined;
  }
}

function TimeBar({ approval: { askedAt, expiresAt } }: { approval: ApprovalRow }) {
  const seconds = useSecondsLeft(expiresAt);
  const whole = (Date.parse(expiresAt) - Date.parse(askedAt)) / 1000;
  return (
    <div className={classes['bar']} aria-hidden>
      <div style={{ width: `${Math.min(seconds / whole, 1) * 100}%` }} />
    </div>
  );
}

interface AnswersProps extends Pick<ApprovalQuestionProps, 'approval' | 'isSending' | 'takesFocus'> {
  canAllow: boolean;
  onDecide: (decision: Decision) => void;
}

function Answers({ approval, isSending, onDecide, takesFocus = false, canAllow }: AnswersProps) {
  const deny = useRef<HTMLButtonElement>(null);
  const isPaused = usePause(PAUSE_MS);
  useEffect(() => {
    if (takesFocus) deny.current?.focus();
  }, [takesFocus]);
  const isOff = isPaused || isSending;
  const offers = (decision: Decision): boolean => approval.decisions.includes(decision);
  const decide = (decision: Decision): void => {
    if (!isOff && (canAllow || decision.startsWith('deny'))) onDecide(decision);
  };
  return (
    <div className="grid gap-8" style={{ gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)', paddingTop: 8 }}>
      <Button
        ref={deny}
        variant="default"
        aria-disabled={isOff}
        data-autofocus={takesFocus || undefined}
        onClick={() => decide('deny')}
      >
        Deny
      </Button>
      <div className={`flex ${classes['allow']}`}>
        <Button
          variant="default"
          aria-disabled={isOff || !canAllow}
          {...(!canAllow && { 'data-disabled': true })}
          onClick={() => decide('allow-once')}
        >
          Allow once
        </Button>
        <Menu position="bottom-end" zIndex={500}>
          <Menu.Target>
            <ActionIcon variant="default" size={32} aria-label="More answers" aria-disabled={isOff}>
              <IconChevronDown size={16} stroke={1.6} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {canAllow && offers('allow-session') && (
              <Menu.Item onClick={() => decide('allow-session')}>
                {approval.sessionId === null ? 'Allow until Homeport stops' : 'Allow for this session'}
              </Menu.Item>
            )}
            {canAllow && offers('allow-always') && (
              <Menu.Item onClick={() => decide('allow-always')}>Always allow</Menu.Item>
            )}
            {canAllow && offers('allow-session') && <Menu.Divider />}
            <Menu.Item data-tone="bad" onClick={() => decide('deny-always')}>
              Always deny
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </div>
    </div>
  );
}

interface ConnectionNameProps {
  integration: string;
  connectionId: string;
  displayName: string | null;
}

/** "HubSpot, Cobalt Cycles" with the id beside it, because anyone may choose the name. */
function ConnectionName({ integration, connectionId, displayName }: ConnectionNameProps) {
  return (
    <>
      <span>{displayName ? `${integration}, ${displayName}` : integration}</span>
      <code className="faint">{connectionId}</code>
    </>
  );
}

/** True for the first moments: a click or key meant for the previous content must not answer the question. */
function usePause(forMs: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), forMs);
    return () => clearTimeout(timer);
  }, [forMs]);
  return !isOver;
}

const TICK_MS = 250;

/** Whole seconds until then, counting down to 0. */
function useSecondsLeft(until: string): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return Math.max(Math.ceil((Date.parse(until) - now) / 1000), 0);
}
