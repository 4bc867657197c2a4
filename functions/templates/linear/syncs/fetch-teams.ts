import { createSync } from 'homeport';
import { linearPages } from '../ask-linear.js';
import { Team } from '../models.js';

const TEAMS = `
  query Teams($after: String) {
    teams(first: 50, after: $after) {
      nodes { id key name description private timezone states(first: 50) { nodes { id name type position } } }
      pageInfo { hasNextPage endCursor }
    }
  }
`;

interface LinearTeam {
  id: string;
  key: string;
  name: string;
  description: string | null;
  private: boolean;
  timezone: string;
  states: { nodes: Array<{ id: string; name: string; type: string; position: number }> };
}

/** A full sync: a missing team is marked as deleted. `create-issue` needs the id of a team. */
export default createSync({
  description: 'Keeps a copy of all teams and of the states that their issues can be in',
  version: '1.0.0',
  syncType: 'full',
  frequency: 'every day',
  autoStart: true,
  models: { Team },
  scopes: ['read'],

  exec: async (nango) => {
    await nango.trackDeletesStart('Team');

    // https://linear.app/developers/graphql
    for await (const teams of linearPages<LinearTeam>(nango, { name: 'teams', query: TEAMS })) {
      await nango.batchSave(
        teams.map(({ private: isPrivate, timezone, states, ...team }) => ({
          ...team,
          is_private: isPrivate,
          time_zone: timezone,
          states: inOrder(states.nodes),
        })),
        'Team',
      );
    }

    await nango.trackDeletesEnd('Team');
  },
});

/** In the order of the columns on the team's board, from left to right. */
function inOrder(states: LinearTeam['states']['nodes']): Array<{ id: string; name: string; type: string }> {
  return [...states].sort((a, b) => a.position - b.position).map(({ id, name, type }) => ({ id, name, type }));
}
