import { Checkbox, Select, Text } from '@mantine/core';
import classes from './Apps.module.css';
import { ACCESS_OPTIONS, type KeyAccess, SCOPE_GROUPS, spreadScopes } from './key-access.ts';

interface ScopeChoiceProps {
  access: KeyAccess;
  /** Single scopes; used only with `chosen`. */
  chosen: readonly string[];
  onChange: (access: KeyAccess, chosen: readonly string[]) => void;
}

/** A preset, or single scopes grouped by noun. */
export function ScopeChoice({ access, chosen, onChange }: ScopeChoiceProps) {
  const option = ACCESS_OPTIONS.find(({ value }) => value === access);
  return (
    <>
      <Select
        mt={12}
        label="Access"
        data={ACCESS_OPTIONS.map(({ label, value }) => ({ label, value }))}
        value={access}
        allowDeselect={false}
        onChange={(next) => next && onChange(next as KeyAccess, chosen)}
      />
      <Text size="sm" c="dimmed" mt={4}>
        {option?.text}
      </Text>
      {access === 'chosen' && (
        <div className={`scroll frame grid sunken ${classes['scopes']}`}>
          {SCOPE_GROUPS.map((group) => (
            <ScopeGroup key={group.name} {...group} chosen={chosen} onChange={(next) => onChange(access, next)} />
          ))}
        </div>
      )}
    </>
  );
}

interface ScopeGroupProps {
  name: string;
  scopes: string[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

function ScopeGroup({ name, scopes, chosen, onChange }: ScopeGroupProps) {
  const set = (scope: string, isHeld: boolean): void =>
    // In the order of the documentation, not of the clicks.
    onChange(spreadScopes(isHeld ? [...chosen, scope] : chosen.filter((one) => one !== scope)));
  return (
    <fieldset className="grid gap-6" style={{ alignContent: 'start' }}>
      <legend className="name">{name}</legend>
      {scopes.map((scope) => (
        <Checkbox
          key={scope}
          size="xs"
          label={<code>{scope.replace('environment:', '')}</code>}
          checked={chosen.includes(scope)}
          onChange={(event) => set(scope, event.currentTarget.checked)}
        />
      ))}
    </fieldset>
  );
}
