import { Checkbox, Select } from '@mantine/core';
import { useId, useState } from 'react';
import type { AgentGrant, AgentOffer } from '../../api/contract.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import { formatCount } from '../../lib/format-number.ts';
import { RISK_LOOK } from '../../lib/mcp-policy.ts';
import classes from './AccountChoice.module.css';
import {
  DEFAULT_LIFE,
  firstChoice,
  grantOf,
  type IntegrationChoice,
  type SignInChoice,
  type ToolChoice,
} from './sign-in-choice.ts';

const LIVES = [
  { value: '1h', label: 'in an hour' },
  { value: '8h', label: 'in 8 hours' },
  { value: '1d', label: 'tomorrow at this time' },
  { value: '7d', label: 'in 7 days' },
  { value: '30d', label: 'in 30 days' },
];

interface AccountChoiceProps {
  integrations: readonly AgentOffer[];
  choice: SignInChoice;
  life: string;
  onChange: (integrationKey: string, part: Partial<IntegrationChoice>) => void;
  onLife: (life: string) => void;
  canQueryRecords: boolean;
  setCanQueryRecords: (canQueryRecords: boolean) => void;
}

/** What a person chooses of the offers: what `AccountChoice` shows, and the grant of it; undefined while none is chosen. */
export function useAccountChoice(integrations: readonly AgentOffer[]): {
  grant: AgentGrant | undefined;
  shown: AccountChoiceProps;
} {
  const [choice, setChoice] = useState<SignInChoice>(() => firstChoice(integrations));
  const [life, setLife] = useState(DEFAULT_LIFE);
  const onChange = (key: string, part: Partial<IntegrationChoice>): void =>
    setChoice((old) => ({ ...old, [key]: { ...(old[key] as IntegrationChoice), ...part } }));
  const [canQueryRecords, setCanQueryRecords] = useState(false);
  const granted = grantOf(integrations, choice, life);
  const grant = granted && { ...granted, canQueryRecords };
  const shown = { integrations, choice, life, onChange, onLife: setLife, canQueryRecords, setCanQueryRecords };
  return { grant, shown };
}

/** What an agent gets: accounts, tools, and until when. */
export function AccountChoice({
  integrations,
  choice,
  life,
  onChange,
  onLife,
  canQueryRecords,
  setCanQueryRecords,
}: AccountChoiceProps) {
  return (
    <>
      <ul className={`card ${classes['list']}`} aria-label="Accounts">
        {integrations.map((one) => (
          <IntegrationItem
            key={one.integrationKey}
            integration={one}
            choice={choice[one.integrationKey] as IntegrationChoice}
            onChange={(part) => onChange(one.integrationKey, part)}
          />
        ))}
      </ul>
      <Checkbox
        label="Ask the records of these accounts in SQL"
        description="All that syncs have stored of them. It only reads."
        checked={canQueryRecords}
        onChange={(event) => setCanQueryRecords(event.currentTarget.checked)}
      />
      <Select
        label="Access ends"
        data={LIVES}
        value={life}
        onChange={(value) => value !== null && onLife(value)}
        allowDeselect={false}
      />
    </>
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
      <label className={`row gap-12 ${classes['name']}`} htmlFor={id}>
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
        <div className="grid gap-12" style={{ padding: '0 16px 16px' }}>
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
    <ul className={`scroll sunken ${classes['tools']}`} aria-label="Tools">
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
