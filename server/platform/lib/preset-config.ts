interface ConfigFields {
  connection_config?: Record<string, unknown> | undefined;
  integration_config?: Record<string, { secret?: boolean | undefined }> | undefined;
}

/**
 * Values of an integration for fields of `connection_config` with the same names (design.md 7.61). They hold for all its
 * connections, and people are not asked for them. A secret of the integration is no value of a connection.
 */
export function presetConfig(fields: ConfigFields, custom: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.keys(fields.connection_config ?? {}).flatMap((name) => {
      const value = custom[name];
      return value && fields.integration_config?.[name]?.secret !== true ? [[name, value]] : [];
    }),
  );
}
