import { z } from 'zod';
import { connectUiSettings } from '../authorization/connect-ui.contract.ts';
import { done, environmentQuery } from '../contract/dashboard/dashboard-lists.ts';
import { functionType } from '../functions/dashboard-functions.contract.ts';
import { otlpHeader, otlpHeaderList, settingsBody, variable, variables } from './environment.contract.ts';
import { settingsResponse } from './environment-responses.contract.ts';

/**
 * As in the public API (design.md 7.17), but without secret values of variables and headers. `POST /reveal` returns
 * them one by one.
 */
export const environmentSettings = settingsResponse.shape.data.extend({
  variables: z.array(
    z.object({
      name: z.string(),
      is_plain: z.boolean(),
      /** Present for a variable that is not secret. */
      value: z.string().optional(),
    }),
  ),
  otlp_headers: z.array(z.object({ name: z.string() })),
  connect_ui: connectUiSettings,
});

/** Without a value the stored one is kept. */
const changedVariable = variable.extend({ value: z.string().optional(), is_plain: z.boolean().optional() });
const changedHeader = otlpHeader.partial({ value: true });

export const updateSettingsBody = settingsBody.extend({
  variables: variables(changedVariable).optional(),
  otlp_headers: otlpHeaderList(changedHeader).optional(),
  connect_ui: connectUiSettings.optional(),
  /** Names and hosts that the sender knew. What was added since is kept, what was removed since stays removed unless it has a value. */
  known: z
    .object({
      variables: z.array(z.string()).optional(),
      otlp_headers: z.array(z.string()).optional(),
      allowed_hosts: z.array(z.string()).optional(),
    })
    .optional(),
});

const functionUse = z.object({ integrationKey: z.string(), type: functionType, name: z.string() });

/** Names of variables that functions of the environment read, as far as their code shows it. */
export const variableUse = z.object({
  used: z.array(z.object({ name: z.string(), functions: z.array(functionUse) })),
  /** Variables that a function reads and that are not defined. */
  missing: z.array(z.object({ name: z.string(), functions: z.array(functionUse) })),
});

export const settingsRouteShapes = {
  'GET /api/v1/settings': {
    meaning: 'Settings of the environment, without secret values of its variables.',
    query: environmentQuery,
    response: environmentSettings,
  },
  'PATCH /api/v1/settings': {
    meaning: 'Changes the given settings; answers all settings after the change.',
    query: environmentQuery,
    body: updateSettingsBody,
    response: environmentSettings,
  },
  'GET /api/v1/settings/variable-use': {
    meaning: 'Which functions read which variables, and which ones they miss.',
    query: environmentQuery,
    response: variableUse,
  },
  'POST /api/v1/settings/signing-key': {
    meaning: 'A new key to sign webhooks with; the old one stays valid for five minutes.',
    query: environmentQuery,
    response: done,
  },
};

export type EnvironmentSettingsResponse = z.infer<typeof environmentSettings>;
export type UpdateSettings = z.input<typeof updateSettingsBody>;
export type VariableUse = z.infer<typeof variableUse>;
