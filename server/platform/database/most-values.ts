/**
 * The most values that the choices of a filter are made of. Integrations and apps are searched by names that the tables of
 * the rows do not have, so all of them are read.
 */
export const MOST_VALUES = { integration: 10_000, app: 10_000, connection: 20 } as const;
