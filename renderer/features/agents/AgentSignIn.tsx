import { Button, Checkbox, Select, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { useSearchParams } from 'react-router';
import { agentSignInQueryOptions, useAnswerSignIn } from '../../api/agents/agent-sign-in.ts';
import type { AgentOffer, AgentSignInRequest } from '../../api/contract.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { ProductMark } from '../../components/ProductMark.tsx';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { describeError } from '../../lib/api-error.ts';
import { formatCount } from '../../lib/format-number.ts';
import { RISK_LOOK } from '../../lib/mcp-policy.ts';
import { windowHref } from '../../lib/paths.ts';
import classes from './AgentSignIn.module.css';
import { firstChoice, grantOf, type IntegrationChoice, type SignInChoice, type ToolChoice } from './sign-in-choice.ts';

const LIVES = [
  { value: '1h', label: 'in an hour' },
  { value: '8h', label: 'in 8 hours' },
  { value: '1d', label: 'tomorrow at this time' },
  { value: '7d', label: 'in 7 days' },
  { value: '30d', label: 'in 30 days' },
];

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
  const [choice, setChoice] = useState<SignInChoice>(() => firstChoice(integrations));
  const [life, setLife] = useState('7d');
  const answer = useAnswerSignIn(env, requestId);
  const grant = grantOf(integrations, choice, life);
  const change = (key: string, part: Partial<IntegrationChoice>): void =>
    setChoice((old) => ({ ...old, [key]: { ...(old[key] as IntegrationChoice), ...part } }));
  return (
    <div className={classes['page']}>
      <main className={classes['body']}>
        <ProductMark size={40} />
        <h1>{clientName} asks for access</h1>
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
        {integrations.length === 0 ? (
          <NoAccount env={env} />
        ) : (
          <ul className={classes['list']} aria-label="Accounts">
            {integrations.map((one) => (
              <IntegrationItem
                key={one.integrationKey}
                integration={one}
                choice={choice[one.integrationKey] as IntegrationChoice}
                onChange={(part) => change(one.integrationKey, part)}
              />
            ))}
          </ul>
        )}
        <Select
          label="Access ends"
          data={LIVES}
          value={life}
          onChange={(value) => value !== null && setLife(value)}
          allowDeselect={false}
        />
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
      <footer className={classes['foot']}>
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
    <p className={classes['none']}>
      There is no account in {env} yet.{' '}
      <a href={windowHref(`/${env}/connections/create`)} target="_blank" rel="noopener">
        Connect one
      </a>
      , then load this page again.
    </p>
  );
}

interface IntegrationItemProps {
  integration: AgentOffer;
  choice: IntegrationChoice;
  onChange: (part: Partial<IntegrationChoice>) => void;
}

function IntegrationItem({ integration, choice, onChange }: IntegrationItemProps) {
  const { connections, displayName, provider, tools } = integration;
  const id = useId();
  const reading = tools.filter(({ risk }) => risk === 'read').length;
  const [only, ...others] = connections;
  return (
    <li className={classes['item']} data-chosen={choice.isChosen || undefined}>
      <label className={classes['name']} htmlFor={id}>
        <ProviderLogo provider={provider} name={displayName} size={32} tile />
        <span className="grow">
          <b>{displayName}</b>
          <span className="soft">
            {others.length > 0 ? formatCount(connections.length, 'account') : (only?.displayName ?? only?.connectionId)}
          </span>
        </span>
        <Checkbox
          id={id}
          checked={choice.isChosen}
          aria-label={displayName}
          onChange={(event) => onChange({ isChosen: event.currentTarget.checked })}
        />
      </label>
      {choice.isChosen && (
        <div className={classes['more']}>
          {others.length > 0 && (
            <Select
              label="Account"
              searchable
              allowDeselect={false}
              value={choice.connectionId}
              data={connections.map((one) => ({
                value: one.connectionId,
                label: one.displayName ? `${one.displayName} (${one.connectionId})` : one.connectionId,
              }))}
              onChange={(connectionId) => connectionId !== null && onChange({ connectionId })}
            />
          )}
          {tools.length === 0 ? (
            <p className="soft">It has no tools yet. Tools that are added later can be called.</p>
          ) : (
            <Select
              label="Tools"
              allowDeselect={false}
              value={choice.tools}
              data={[
                { value: 'all', label: `Every tool (${tools.length} now)` },
                { value: 'read', label: `Only tools that read (${reading})`, disabled: reading === 0 },
                { value: 'some', label: 'Tools that I choose' },
              ]}
              onChange={(value) => value !== null && onChange({ tools: value as ToolChoice })}
            />
          )}
          {choice.tools === 'some' && <ToolList tools={tools} choice={choice} onChange={onChange} />}
        </div>
      )}
    </li>
  );
}

function ToolList({ tools, choice, onChange }: Omit<IntegrationItemProps, 'integration'> & Pick<AgentOffer, 'tools'>) {
  const toggle = (name: string, isOn: boolean): void =>
    onChange({ named: isOn ? [...choice.named, name] : choice.named.filter((one) => one !== name) });
  return (
    <ul className={classes['tools']} aria-label="Tools">
      {tools.map(({ description, name, risk }) => (
        <li key={name}>
          <Checkbox
            label={name}
            description={`${RISK_LOOK[risk].label}. ${description}`}
            checked={choice.named.includes(name)}
            onChange={(event) => toggle(name, event.currentTarget.checked)}
          />
        </li>
      ))}
    </ul>
  );
}
