import { HomeportError } from '../../../lib/homeport-error.ts';
import type { Handler } from '../../route.ts';

/** Needs provider apps of whoever runs the service; on one's own computer there are none (http-api.md 3). */
export const createQuickstartIntegration: Handler = () => {
  throw new HomeportError(
    'invalid_body',
    'Homeport ships no provider apps. Create the integration with credentials of your own app.',
  );
};
