import type { AgentGrant, AgentOffer } from '../../api/contract.ts';

/** Which tools of an integration: every one, those that only read, or named ones. */
export type ToolChoice = 'all' | 'read' | 'some';

export interface IntegrationChoice {
  isChosen: boolean;
  connectionId: string;
  tools: ToolChoice;
  /** Names, for `some`. */
  named: readonly string[];
}

export type SignInChoice = Readonly<Record<string, IntegrationChoice>>;

export const DEFAULT_LIFE = '7d';

/** With one integration that has one connection there is nothing to choose. */
export function firstChoice(integrations: readonly AgentOffer[]): SignInChoice {
  const isOnly = integrations.length === 1;
  return Object.fromEntries(
    integrations.map(({ connections, integrationKey, tools }) => [
      integrationKey,
      {
        isChosen: isOnly && connections.length === 1,
        connectionId: connections[0]?.connectionId ?? '',
        tools: 'all' as const,
        named: tools.map(({ name }) => name),
      },
    ]),
  );
}

/** Undefined while nothing is chosen. */
export function grantOf(
  integrations: readonly AgentOffer[],
  choice: SignInChoice,
  expiresIn: string,
): AgentGrant | undefined {
  const connections = integrations.flatMap(({ integrationKey, tools }) => {
    const chosen = choice[integrationKey];
    if (!chosen?.isChosen) return [];
    const reading = tools.filter(({ risk }) => risk === 'read').map(({ name }) => name);
    const names = { all: null, read: reading, some: [...chosen.named] }[chosen.tools];
    return [{ integrationKey, connectionId: chosen.connectionId, tools: names }];
  });
  return connections.length === 0 ? undefined : { connections, expiresIn };
}
