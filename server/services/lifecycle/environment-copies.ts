import type { EnvironmentPart } from '../../contract/dashboard/dashboard-environment.ts';
import type { Environment, EnvironmentService } from '../environment/environment-service.ts';
import type { SettingsChanges } from '../environment/environment-settings.ts';
import type { IntegrationsService } from '../integrations/integrations-service.ts';
import type { NotificationsService } from '../notifications/notifications-service.ts';

interface EnvironmentCopiesOptions {
  environments: Pick<EnvironmentService, 'create' | 'listVariables' | 'otlpHeaders'>;
  integrations: Pick<IntegrationsService, 'copy'>;
  notifications: { destinations: Pick<NotificationsService['destinations'], 'copyAll'> };
  removal: { remove(id: number): Promise<void> };
}

/** Creates environments as copies of another one. */
export class EnvironmentCopies {
  readonly #options: EnvironmentCopiesOptions;

  constructor(options: EnvironmentCopiesOptions) {
    this.#options = options;
  }

  /** Creates an environment with its own key and the chosen parts of `source`: all of them or, when one fails, none. */
  async copy(source: Environment, name: string, parts: readonly EnvironmentPart[]): Promise<Environment> {
    const { environments, integrations, notifications, removal } = this.#options;
    const variables = parts.includes('variables') ? await environments.listVariables(source.id) : [];
    const otlpHeaders = parts.includes('settings') ? await environments.otlpHeaders.list(source.id) : [];
    const copy = await environments.create(name, settingsOf(source, parts), { variables, otlpHeaders });
    try {
      if (parts.includes('webhooks')) await notifications.destinations.copyAll(source.id, copy.id);
      if (parts.includes('integrations')) await integrations.copy(source.id, copy.id);
      return copy;
    } catch (error) {
      await removal.remove(copy.id);
      throw error;
    }
  }
}

/**
 * The public address belongs to the hub and stays with the environment that set it; colour and position belong to its
 * name.
 */
function settingsOf({ settings }: Environment, parts: readonly EnvironmentPart[]): SettingsChanges {
  const { colour: _colour, isProduction: _isProduction, position: _position, publicUrl: _publicUrl, ...own } = settings;
  const { connectUi, webhook, ...rest } = own;
  return {
    ...(parts.includes('settings') ? rest : {}),
    ...(parts.includes('webhooks') ? { webhook } : {}),
    ...(parts.includes('connect_ui') ? { connectUi } : {}),
  };
}
