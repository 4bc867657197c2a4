import { Menu, Select } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { McpDecision, McpToolRow } from '../../api/contract.ts';
import { useChange } from '../../api/use-change.ts';
import { type PolicyChoice, policyOptions } from '../../lib/mcp-policy.ts';

interface PolicySelectProps {
  /** Client, connection and tool. */
  about: Omit<McpDecision, 'policy'>;
  choice: PolicyChoice;
  risk?: McpToolRow['risk'];
  /** The row with the keyboard focus. */
  isActive: boolean;
}

/** Decides what the tool may do; what is chosen already is left as it is. */
function useDecide(about: PolicySelectProps['about'], choice: PolicyChoice) {
  const change = useChange('PUT /api/v1/mcp/decisions');
  const decide = (value: string | null): void => {
    if (!value || value === choice || value === 'session') return;
    const policy = value === 'default' ? null : (value as McpDecision['policy']);
    change.mutate({ body: { ...about, policy } });
  };
  return { decide, isPending: change.isPending };
}

export function PolicySelect({ about, choice, risk, isActive }: PolicySelectProps) {
  const { decide, isPending } = useDecide(about, choice);
  return (
    <Select
      aria-label={`What ${about.tool} may do`}
      data={policyOptions(choice, risk)}
      value={choice}
      disabled={isPending}
      tabIndex={isActive ? 0 : -1}
      onChange={decide}
    />
  );
}

/** The same choice in the menu of a row. */
export function PolicyItems({ about, choice, risk }: Omit<PolicySelectProps, 'isActive'>) {
  const { decide } = useDecide(about, choice);
  return (
    <>
      <Menu.Label>What it may do</Menu.Label>
      {policyOptions(choice, risk).map(({ value, label }) => (
        <Menu.Item
          key={value}
          aria-current={value === choice || undefined}
          rightSection={value === choice && <IconCheck size={14} stroke={1.6} aria-hidden />}
          onClick={() => decide(value)}
        >
          {label}
        </Menu.Item>
      ))}
    </>
  );
}
