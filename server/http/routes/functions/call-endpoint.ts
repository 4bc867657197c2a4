import { triggerActionHeaders } from '../../../contract/api/actions.ts';
import { empty } from '../../../contract/api/fields.ts';
import { listRecordsQuery } from '../../../contract/api/records.ts';
import { HomeportError } from '../../../lib/homeport-error.ts';
import type { DeploymentsService } from '../../../services/deployments/deployments-service.ts';
import type { RecordsService } from '../../../services/records/records-service.ts';
import { grants } from '../../middleware/scopes.ts';
import type { ApiRequest, Handler } from '../../route.ts';
import { validateHeaders, validateQuery } from '../../validate.ts';
import { type ActionRunners, answerAction } from '../actions/trigger-action.ts';
import { type ConnectionFinders, findNamedConnection } from '../records/find-named-connection.ts';
import { answerRecords } from '../records/list-records.ts';

export interface EndpointUse extends ActionRunners, ConnectionFinders {
  deployments: DeploymentsService;
  records: RecordsService;
}

/** The addresses that functions declare, under `/v1` (http-api.md 9): an action runs, a model of a sync is read. */
export function callEndpoint(use: EndpointUse): Handler {
  return async (request) => {
    const connection = await findNamedConnection(use, request);
    const endpoint = `${request.http.method} ${request.http.path.replace(/^\/v1/i, '')}`;
    const { triggers } = use.deployments;
    const target = await triggers.findEndpoint(request.environment.id, connection.integrationKey, endpoint);
    if (!target) {
      const message = `Unknown endpoint '${endpoint}'`;
      throw new HomeportError('not_found', message, { body: { message } });
    }
    checkScope(request, target.kind === 'action' ? 'environment:actions:execute' : 'environment:records:read');
    if (target.kind === 'model') {
      const query = validateQuery(listRecordsQuery, { ...(request.query as object), model: target.name });
      return answerRecords(use.records, connection, query);
    }
    validateQuery(empty, request.query);
    const headers = validateHeaders(triggerActionHeaders, request.http.headers);
    const input = request.http.method === 'GET' ? undefined : request.body;
    return answerAction(use, request, headers, { actionName: target.name, input });
  };
}

function checkScope({ caller }: ApiRequest, scope: string): void {
  if (!grants(caller.scopes, scope)) throw new HomeportError('forbidden', `The key lacks the scope ${scope}.`);
}
