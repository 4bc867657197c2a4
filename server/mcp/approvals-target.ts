import type { Environment, EnvironmentService } from '../environments/environment.service.ts';
import type { StoredEnvironmentSettings } from '../environments/environment-settings.ts';

/** Where the questions of an environment are sent. */
export interface ApprovalsTarget {
  url: string;
  kind: 'ntfy' | 'webhook';
  token?: string;
}

export type ApprovalsTargets = ReturnType<typeof createApprovalsTargets>;

/** Decides between the settings of an environment and the variables `HOMEPORT_APPROVALS_*`, which win. */
export function createApprovalsTargets(use: {
  environments: Pick<EnvironmentService, 'approvalsToken' | 'find' | 'list'>;
  fixed: { approvals?: ApprovalsTarget; areAnswersPublic?: boolean };
  localBase: () => string;
  publicUrl: () => string | undefined;
}) {
  const { environments, fixed, localBase, publicUrl } = use;
  const isPublic = ({ approvals }: StoredEnvironmentSettings): boolean => fixed.areAnswersPublic ?? approvals.isPublic;

  /** Which address counts, also while the vault is locked. */
  function describe({ settings }: Environment) {
    const { approvals: byVariable } = fixed;
    const { kind, url } = byVariable ?? settings.approvals;
    const arePublic = isPublic(settings);
    return {
      source: byVariable ? ('variables' as const) : url === null ? ('none' as const) : ('settings' as const),
      kind,
      url,
      arePublic,
      isPublicFixed: fixed.areAnswersPublic !== undefined,
      /** Origin of the links. */
      base: (arePublic ? publicUrl() : undefined) ?? localBase(),
      hasPublicUrl: publicUrl() !== undefined,
    };
  }

  return {
    describe,

    /** Undefined: nowhere. Throws `vault_locked` when its token cannot be read. */
    async find(environment: Environment): Promise<ApprovalsTarget | undefined> {
      const { kind, url } = describe(environment);
      if (fixed.approvals || url === null) return fixed.approvals;
      const token = await environments.approvalsToken.find(environment.id);
      return { kind, url, ...(token === undefined ? {} : { token }) };
    },

    /** Whether the public address answers links at all. */
    arePublic: (): boolean => environments.list().some(({ settings }) => isPublic(settings)),
  };
}
