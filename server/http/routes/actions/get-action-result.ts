import { actionResultParams } from '../../../contract/api/actions.ts';
import type { BackgroundActions } from '../../../services/actions/background-actions.ts';
import type { Handler } from '../../route.ts';
import { validateParams } from '../../validate.ts';

export function getActionResult(use: { background: BackgroundActions }): Handler {
  return async (request) => {
    const { id } = validateParams(actionResultParams, request.params);
    return { status: 200, text: await use.background.readAnswer(request.environment.id, id) };
  };
}
