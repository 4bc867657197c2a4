import type { StatusLook } from './status.ts';

type Policy = 'allow' | 'ask' | 'deny';
type Risk = 'read' | 'write' | 'delete';

/** A policy as an option; `session` cannot be chosen, it results from a response. */
export type PolicyChoice = Policy | 'default' | 'session';

/** Who asks for what, in a sentence. */
export const approvalSentence = ({ clientName, risk }: { clientName: string; risk: Risk }): string =>
  `${clientName} asks to ${risk}`;

export const POLICY_WORDS: Record<Policy, string> = { allow: 'Allow', ask: 'Ask', deny: 'Deny' };

/** The policy without a decision. */
const defaultOf = (risk: Risk): Policy => (risk === 'read' ? 'allow' : 'ask');

export function choiceOf(rule: { risk: Risk; policy: Policy | null; effective: Policy }): PolicyChoice {
  if (rule.effective !== (rule.policy ?? defaultOf(rule.risk))) return 'session';
  return rule.policy ?? 'default';
}

/** The options, with the effective default when the risk is known. */
export function policyOptions(chosen: PolicyChoice, risk?: Risk): { value: PolicyChoice; label: string }[] {
  const byDefault = risk ? `Default: ${POLICY_WORDS[defaultOf(risk)].toLowerCase()}` : 'Default';
  const options: { value: PolicyChoice; label: string }[] = [
    { value: 'default', label: byDefault },
    { value: 'allow', label: POLICY_WORDS.allow },
    { value: 'ask', label: POLICY_WORDS.ask },
    { value: 'deny', label: POLICY_WORDS.deny },
  ];
  return chosen === 'session' ? [{ value: 'session', label: 'Allow until stop' }, ...options] : options;
}

export const RISK_LOOK: Record<Risk, StatusLook> = {
  read: { label: 'Reads', tone: 'mute', icon: 'eye' },
  write: { label: 'Writes', tone: 'mute', icon: 'pencil' },
  delete: { label: 'Deletes', tone: 'bad', icon: 'trash' },
};
