import {
  CREDENTIAL_FIELDS,
  type CredentialMode,
  credentialFieldsOf,
  type DashboardField,
  INTEGRATION_FIELDS,
} from '../../contract/dashboard/dashboard-fields.ts';
import type { CliContext } from '../cli-context.ts';
import { CliFailure, EXIT } from '../cli-failure.ts';
import type { HubClient } from './hub-client.ts';

/** A field as the catalogue writes it. */
type CatalogField = Omit<DashboardField, 'name' | 'title' | 'defaultValue'> & {
  title?: string;
  default_value?: string;
};

/** The parts of the public API's answer about a provider that are used here. */
export interface ShownProvider {
  name: string;
  display_name: string;
  auth_mode: string;
  credentials?: Record<string, CatalogField>;
  connection_config?: Record<string, CatalogField>;
  integration_config?: Record<string, CatalogField>;
  works_without_app?: boolean;
  ways_in?: string[];
}

export async function readProvider(hub: HubClient, name: string): Promise<ShownProvider> {
  const { status, body } = await hub.send('GET', `/providers/${encodeURIComponent(name)}`);
  if (status < 400) return (body as { data: ShownProvider }).data;
  if (status !== 404) throw hub.refusal(status, body);
  const refusal = hub.refusal(status, body);
  const search = `"homeport providers list ${name} --all" searches the catalogue.`;
  throw new CliFailure(`${refusal.message} ${search}`, refusal.status, refusal.details);
}

/** Inputs of a connection's credentials; undefined where they come from a sign-in or an exchange at the provider. */
export function credentialInputs({ auth_mode, credentials }: ShownProvider): DashboardField[] | undefined {
  if (!(auth_mode in CREDENTIAL_FIELDS)) return undefined;
  return credentialFieldsOf(auth_mode as CredentialMode, fieldsOf(credentials)).filter(isAsked);
}

/** Inputs of a connection besides its credentials, such as a subdomain. */
export const configInputs = ({ connection_config }: ShownProvider): DashboardField[] =>
  fieldsOf(connection_config).filter(isAsked);

/** Modes whose integration the hub creates only with the credentials of an app (http-api.md 3). */
const APP_MODES = ['OAUTH1', 'OAUTH2', 'APP', 'CUSTOM'];

/** Whether the integration needs the app that is registered at the provider. */
export const needsApp = ({ auth_mode, integration_config, works_without_app }: ShownProvider): boolean =>
  APP_MODES.includes(auth_mode) && integration_config === undefined && works_without_app !== true;

/** Inputs of an integration: the app that is registered at the provider. */
export function integrationInputs(provider: ShownProvider): DashboardField[] {
  const own = fieldsOf(provider.integration_config);
  const fields = own.length > 0 ? own : [...(INTEGRATION_FIELDS[provider.auth_mode] ?? [])];
  // The dashboard can complete an app later; the public API takes it whole.
  const optional = (field: DashboardField): boolean | undefined =>
    needsApp(provider) ? field.name === 'scopes' : field.optional;
  return fields.filter(isAsked).map((field) => ({ ...field, optional: optional(field) }));
}

function fieldsOf(fields: Record<string, CatalogField> = {}): DashboardField[] {
  return Object.entries(fields).map(([name, { default_value, title, ...field }]) => ({
    ...field,
    name,
    title: title ?? name,
    defaultValue: default_value,
  }));
}

const isAsked = ({ automated, hidden }: DashboardField): boolean => !automated && !hidden;

/** The document that an option takes for these fields, with what belongs there: `{"username": "<Secret key>"}`. */
export function shapeOf(fields: readonly DashboardField[]): string {
  const members = fields.map(({ name, optional, title }) => `"${name}": "<${title}${optional ? ', optional' : ''}>"`);
  return `{${members.join(', ')}}`;
}

/**
 * Asks a person for the fields. Secret ones are not shown while they are typed. Throws with `otherwise` where nobody can
 * answer.
 */
export async function askFields(
  { terminal }: CliContext,
  fields: readonly DashboardField[],
  otherwise: string,
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const field of fields) {
    const value = await askField(terminal, field, otherwise);
    if (value !== '') values[field.name] = value;
  }
  return values;
}

async function askField(terminal: CliContext['terminal'], field: DashboardField, otherwise: string): Promise<string> {
  const { defaultValue, description, example, multiline, optional, secret, title } = field;
  if (multiline) throw new CliFailure(`${title} has several lines, which no question takes. ${otherwise}`, EXIT.usage);
  const hints = [
    optional ? 'optional' : undefined,
    defaultValue === undefined ? undefined : `empty: ${defaultValue}`,
    defaultValue === undefined && example !== undefined && !secret ? `such as ${example}` : undefined,
  ].filter((hint) => hint !== undefined);
  if (description !== undefined && terminal.isInteractive) terminal.note(description);
  const question = `${title}${hints.length > 0 ? ` (${hints.join(', ')})` : ''}:`;
  for (;;) {
    const answer = (await terminal.ask(question, otherwise, { isHidden: secret === true })) || (defaultValue ?? '');
    const problem = problemOf(field, answer);
    if (problem === undefined) return answer;
    terminal.note(problem);
  }
}

function problemOf({ enum: choices, optional, pattern, title }: DashboardField, answer: string): string | undefined {
  if (answer === '') return optional ? undefined : `${title} is needed.`;
  if (choices && !choices.includes(answer)) return `${title} is one of ${choices.join(', ')}.`;
  if (pattern !== undefined && !new RegExp(pattern).test(answer))
    return `${title} does not have the form that the provider expects.`;
  return undefined;
}
