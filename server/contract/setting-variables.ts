export interface SettingVariable {
  meaning: string;
  /** In words or as the value; undefined where there is none. */
  usual?: string;
}

/** Variables that the program reads, as the documentation shows them; a similar name is reported as a typing error. */
export const SETTING_VARIABLES = {
  HOMEPORT_PORT: { meaning: 'Port, always on loopback', usual: '3003' },
  HOMEPORT_HOME: { meaning: 'Data folder', usual: "the system's application-data folder" },
  HOMEPORT_FUNCTIONS: { meaning: 'Functions folder', usual: '`<data folder>/functions`' },
  HOMEPORT_SECRET_KEY: { meaning: 'Fixed secret key (UUID v4) of environment `dev`', usual: 'generated' },
  HOMEPORT_MASTER_KEY: { meaning: 'Base64 of 32 bytes; overrides the keychain', usual: 'keychain' },
  HOMEPORT_NEW_MASTER_KEY: {
    meaning: 'The key to which `homeport key rotate` changes, where the old one is set by a variable',
  },
  HOMEPORT_MOVE_KEY: { meaning: 'Secret key of the other server, for `homeport move`' },
  HOMEPORT_PASSPHRASE: { meaning: 'Passphrase of an export that has secrets, for `homeport export` and `import`' },
  HOMEPORT_PUBLIC_URL: {
    meaning: 'Base of webhook and callback addresses (a tunnel)',
    usual: '`http://localhost:<port>`',
  },
  HOMEPORT_WEBHOOK_URL: { meaning: 'Primary webhook address of `dev`' },
  HOMEPORT_LOGGER_LEVEL: {
    meaning: 'Default level of function logs (`NANGO_LOGGER_LEVEL` works too)',
    usual: '`warn`',
  },
  HOMEPORT_FUNCTION_MEMORY_MB: {
    meaning: 'Largest sum of the memory limits of running functions (256 MB each); further runs wait',
    usual: "half of the machine's memory, at most 4096",
  },
  HOMEPORT_PROGRAM_LOG: { meaning: "Level of the program's own log", usual: '`info` on a terminal, else `warn`' },
  HOMEPORT_LOG_FORMAT: { meaning: '`text` for people or `json`', usual: '`text` on a terminal, else `json`' },
  HOMEPORT_TYPE_CHECK: {
    meaning: '`0` switches the type check of functions off (it needs a process of about 400 MB while it runs)',
    usual: 'on',
  },
  HOMEPORT_MCP: {
    meaning:
      'Policy of MCP tools without a policy of their own: `allow`, `ask` (tools that only read run, others ask) or `deny`',
    usual: '`ask`',
  },
  HOMEPORT_MCP_PUBLIC: {
    meaning:
      '`1` lets agents sign in and call tools by the public address too, for programs that run elsewhere; a person of this computer still answers each sign-in',
    usual: '`0`',
  },
  HOMEPORT_APPROVALS_URL: {
    meaning:
      'Where questions about calls of agents are sent as well: a topic of ntfy (`https://ntfy.sh/my-topic`) or a webhook. Whoever can read the messages can answer',
    usual: 'nowhere',
  },
  HOMEPORT_APPROVALS_KIND: { meaning: '`ntfy` or `webhook`', usual: '`ntfy`' },
  HOMEPORT_APPROVALS_TOKEN: { meaning: 'Sent as `Authorization: Bearer`' },
  HOMEPORT_APPROVALS_PUBLIC: {
    meaning: '`1`: the links lead to the public address, which answers them; else they work on this computer only',
    usual: '`0`',
  },
  HOMEPORT_TRUST_WORKSPACE: {
    meaning: '`1` applies changes in `providers.yaml` to providers in use without asking',
    usual: '`0`: they wait for `homeport providers approve`',
  },
  HOMEPORT_PRACTICE_PORT: { meaning: 'Port of the built-in practice provider', usual: 'any free one' },
} as const satisfies Record<string, SettingVariable>;
