import { HomeportError } from '../../lib/homeport-error.ts';

/** A failure under the names that its three readers know. */
export interface FlowFailure {
  error: HomeportError;
  /** For the page that waits (auth-and-connect.md 1.6). */
  socketType: string;
  /** For the application's webhook (webhooks.md 1.3). */
  newsType: string;
  /** What is no refusal but a fault of the hub. */
  fault?: unknown;
}

const SOCKET_TYPES: Readonly<Record<string, string>> = {
  missing_provider_config_key: 'no_provider_config_key',
  unknown_provider_config: 'provider_config_err',
  provider_config_err: 'provider_config_err',
  unknown_provider_template: 'unknown_config_key',
  invalid_auth_mode: 'auth_mode_err',
  wrong_auth_mode: 'auth_mode_err',
  missing_connection_config: 'url_param_err',
  token_exchange_failed: 'unknown_err',
  unable_to_parse_token_response: 'unknown_err',
  client_registration_failed: 'unknown_err',
  mcp_discovery_failed: 'unknown_err',
  provider_unreachable: 'unknown_err',
  generic_error_support: 'unknown_err',
};

const NEWS_TYPES: Readonly<Record<string, string>> = {
  callback_err: 'invalid_callback',
  token_exchange_failed: 'unknown',
  provider_unreachable: 'unknown',
  generic_error_support: 'unknown',
};

export function toFlowFailure(thrown: unknown): FlowFailure {
  if (!(thrown instanceof HomeportError)) {
    const error = new HomeportError('generic_error_support', 'Something went wrong in the hub; its log has more.');
    return { error, socketType: 'unknown_err', newsType: 'unknown', fault: thrown };
  }
  const error = thrown.code === 'missing_connection_config' ? asUrlParam(thrown) : thrown;
  return {
    error,
    socketType: SOCKET_TYPES[error.code] ?? error.code,
    newsType: NEWS_TYPES[error.code] ?? error.code,
  };
}

export function unknownState(): HomeportError {
  return new HomeportError(
    'invalid_state',
    'This sign-in is not known: it was finished already, took longer than an hour, or was begun elsewhere. Connect again.',
  );
}

/** The name that sign-ins have for a value that an address lacks. */
function asUrlParam(error: HomeportError): HomeportError {
  return new HomeportError('url_param_err', error.message, { cause: error });
}
