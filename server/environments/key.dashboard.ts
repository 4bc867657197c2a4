import { APP_ICONS } from '../contract/dashboard/shown-values.ts';
import type { DashboardParts } from '../dashboard/api/dashboard-parts.ts';
import type { DashboardHandlers } from '../dashboard/api/dashboard-route.ts';
import { isoDate, isoDateOrNull } from '../platform/lib/dates.ts';
import { HomeportError } from '../platform/lib/homeport-error.ts';
import type { KeyFacts } from './api-keys.ts';
import type { Pairing } from './app-pairings.ts';
import { environmentColour } from './dashboard-environment.contract.ts';
import type { KeyRow, PairingRow } from './dashboard-keys.contract.ts';
import type { KeyFigures } from './key-use.ts';

type Use = Pick<DashboardParts, 'audit' | 'environments' | 'pairings'>;
type Keys =
  | 'GET /api/v1/keys'
  | 'POST /api/v1/keys'
  | 'PATCH /api/v1/keys/:keyId'
  | 'DELETE /api/v1/keys/:keyId'
  | 'GET /api/v1/pairings'
  | 'POST /api/v1/pairings/:pairingId';

export function keyRoutes({ audit, environments: { keys }, pairings }: Use): DashboardHandlers<Keys> {
  return {
    'GET /api/v1/keys': async ({ environment }) => {
      const [all, figures] = await Promise.all([keys.list(environment.id), audit.keyUse.list(environment.id)]);
      return { data: all.map((key) => viewKey(key, figures.get(key.id))) };
    },

    'POST /api/v1/keys': async ({ environment, body }) => {
      const { id, displayName, secret } = await keys.create(environment.id, body.name, body.scopes, body);
      await audit.record({ action: 'key_created', environmentId: environment.id, subject: displayName });
      return { id, name: displayName, secret };
    },

    'PATCH /api/v1/keys/:keyId': async ({ environment, params, body }) => {
      const subject = await keys.change(environment.id, params.keyId, { ...body, displayName: body.name });
      await audit.record({ action: 'key_changed', environmentId: environment.id, subject });
      return { success: true };
    },

    'DELETE /api/v1/keys/:keyId': async ({ environment, params }) => {
      const key = (await keys.list(environment.id)).find(({ id }) => id === params.keyId);
      if (!key) throw new HomeportError('not_found', 'There is no such key.');
      const subject = await keys.revoke(environment.id, key.id);
      await audit.record({ action: 'key_revoked', environmentId: environment.id, subject });
      return { success: true };
    },

    'GET /api/v1/pairings': ({ environment }) => ({ data: pairings.list(environment.id).map(viewPairing) }),

    'POST /api/v1/pairings/:pairingId': async ({ environment, params, body }) => {
      const { id: environmentId } = environment;
      const asked = pairings.list(environmentId).find(({ id }) => id === params.pairingId);
      if (body.decision === 'allow') await pairings.allow(environmentId, params.pairingId, body);
      else pairings.deny(environmentId, params.pairingId);
      await audit.record({
        action: body.decision === 'allow' ? 'app_paired' : 'app_refused',
        environmentId,
        subject: body.decision === 'allow' ? body.name : asked?.name,
      });
      return { success: true };
    },
  };
}

function viewKey(key: KeyFacts & { isDefault: boolean }, figures: KeyFigures | undefined): KeyRow {
  return {
    id: key.id,
    name: key.displayName,
    scopes: key.scopes,
    isDefault: key.isDefault,
    allowed: key.allowed,
    icon: APP_ICONS.find((icon) => icon === key.icon) ?? null,
    colour: environmentColour.options.find((colour) => colour === key.colour) ?? null,
    createdAt: isoDate(key.createdAt),
    lastUsedAt: isoDateOrNull(key.lastUsedAt),
    calls: figures?.calls ?? 0,
    credentialReads: figures?.credentialReads ?? 0,
    process: figures?.process ? { ...figures.process, at: isoDate(figures.process.at) } : null,
  };
}

function viewPairing({ askedAt, environmentId: _, expiresAt, scopes, ...rest }: Pairing): PairingRow {
  return { ...rest, scopes: [...scopes], askedAt: isoDate(askedAt), expiresAt: isoDate(expiresAt) };
}
