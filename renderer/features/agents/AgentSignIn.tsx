import { Button, Select, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import { agentSignInQueryOptions, useAnswerSignIn } from '../../api/agents/agent-sign-in.ts';
import type { AgentSignInRequest } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { ProductMark } from '../../components/ProductMark.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { describeError } from '../../lib/api-error.ts';
import { formatCount } from '../../lib/format-number.ts';
import { windowHref } from '../../lib/paths.ts';
import { AccountChoice, useAccountChoice } from './AccountChoice.tsx';
import classes from './AgentSignIn.module.css';

/** The page that a program opens to ask for access (agents.md 5). */
export function AgentSignIn() {
  const [query] = useSearchParams();
  const { data: meta } = useQuery(metaQueryOptions());
  const [chosenEnv, setEnv] = useState<string>();
  const names = meta?.environments.map(({ name }) => name) ?? [];
  const env = chosenEnv ?? names[0];
  useEffect(() => {
    document.title = 'Agent access – Homeport';
  }, []);
  if (env === undefined) return null;
  return <Question key={env} env={env} envs={names} requestId={query.get('request') ?? ''} onEnv={setEnv} />;
}

interface QuestionProps {
  env: string;
  envs: string[];
  requestId: string;
  onEnv: (env: string) => void;
}

function Question({ env, envs, requestId, onEnv }: QuestionProps) {
  const asked = useQuery(agentSignInQueryOptions(env, requestId));
  if (asked.error) return <ErrorPanel error={asked.error} />;
  if (!asked.data) return null;
  return <Answer request={asked.data} {...{ env, envs, requestId, onEnv }} />;
}

function Answer({ request, env, envs, requestId, onEnv }: QuestionProps & { request: AgentSignInRequest }) {
  const { clientName, integrations, redirectName } = request;
  const { grant, shown } = useAccountChoice(integrations);
  const answer = useAnswerSignIn(env, requestId);
  return (
    <div
      className="grid scroll"
      style={{ gridTemplateRows: '1fr auto', height: '100%', background: 'var(--hp-surface)' }}
    >
      <main className={`grid gap-16 full ${classes['body']}`}>
        <ProductMark size={40} />
        <h1 className="breaks">{clientName} asks for access</h1>
        <p className="soft">
          It calls tools with the accounts that you choose, and never sees a password or a token. Tools that change
          something ask you first.
        </p>
        {envs.length > 1 && (
          <Select
            label="Environment"
            data={envs}
            value={env}
            onChange={(name) => name !== null && onEnv(name)}
            allowDeselect={false}
          />
        )}
        {integrations.length === 0 ? <NoAccount env={env} /> : <AccountChoice {...shown} />}
        <Text size="sm" role="alert" c="var(--hp-bad)">
          {answer.error ? describeError(answer.error).message : ''}
        </Text>
        <div className="stack gap-8">
          <Button
            size="md"
            disabled={grant === undefined}
            loading={answer.isPending && answer.variables !== 'deny'}
            onClick={() => grant && answer.mutate(grant)}
          >
            {grant === undefined ? 'Choose an account' : `Allow ${formatCount(grant.connections.length, 'account')}`}
          </Button>
          <Button
            size="md"
            variant="default"
            loading={answer.isPending && answer.variables === 'deny'}
            onClick={() => answer.mutate('deny')}
          >
            Do not allow
          </Button>
        </div>
      </main>
      <footer className="flex gap-8 line-above soft" style={{ justifyContent: 'center', padding: '12px 32px' }}>
        <IconLock size={16} aria-hidden />
        <span>
          You go back to <b>{redirectName}</b>. The name of the program is what it says itself.
        </span>
      </footer>
    </div>
  );
}

function NoAccount({ env }: { env: string }) {
  return (
    <p style={{ padding: 16, border: '1px dashed var(--hp-border)', borderRadius: 8 }}>
      There is no account in {env} yet.{' '}
      <a href={windowHref(`/${env}/connections/create`)} target="_blank" rel="noopener">
        Connect one
      </a>
      , then load this page again.
    </p>
  );
}
