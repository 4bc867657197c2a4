import { Select } from '@mantine/core';
import { describeError } from '../../api/api-error.ts';
import type { McpDecision, McpToolRow } from '../../api/contract.ts';
import { useChangeDecision } from '../../api/mcp/mcp-mutations.ts';
import { notifyError } from '../../components/notify.ts';
import { type PolicyChoice, policyOptions } from '../../lib/mcp-policy.ts';

interface PolicySelectProps {
  /** Client, connection and tool. */
  about: Omit<McpDecision, 'policy'>;
  choice: PolicyChoice;
  risk?: McpToolRow['risk'];
  /** The row with the keyboard focus. */
  isActive: boolean;
}

export function PolicySelect({ about, choice, risk, isActive }: PolicySelectProps) {
  const change = useChangeDecision();
  const choose = (value: string | null): void => {
    if (!value || value === choice || value === 'session') return;
    const policy = value === 'default' ? null : (value as McpDecision['policy']);
    change.mutate({ ...about, policy }, { onError: (error) => notifyError(describeError(error)) });
  };
  return (
    <Select
      aria-label={`What ${about.tool} may do`}
      data={policyOptions(choice, risk)}
      value={choice}
      disabled={change.isPending}
      tabIndex={isActive ? 0 : -1}
      onChange={choose}
    />
  );
}
