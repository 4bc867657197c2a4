import { HomeportError, UNEXPECTED_ERROR } from '../platform/lib/homeport-error.ts';

/** A failure, and its type for each receiver. */
export interface FlowFailure {
  error: HomeportError;
  /** Type for the waiting page (auth-and-connect.md 1.6). */
  socketType: string;
  /** Type for the app's webhook (webhooks.md 1.3). */
  webhookErrorType: string;
  /** The error, when it is a fault of the hub and not a refusal. */
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

const WEBHOOK_ERROR_TYPES: Readonly<Record<string, string>> = {
  callback_err: 'invalid_callback',
  token_exchange_failed: 'unknown',
  provider_unreachable: 'unknown',
  generic_error_support: 'unknown',
};

/** Errors other than HomeportError become `generic_error_support`, so that their text does not reach the end user. */
export function toFlowFailure(thrown: unknown): FlowFailure {
  if (!(thrown instanceof HomeportError)) {
    const error = new HomeportError('generic_error_support', UNEXPECTED_ERROR);
    return { error, socketType: 'unknown_err', webhookErrorType: 'unknown', fault: thrown };
  }
  const error = thrown.code === 'missing_connection_config' ? asUrlParam(thrown) : thrown;
  return {
    error,
    socketType: SOCKET_TYPES[error.code] ?? error.code,
    webhookErrorType: WEBHOOK_ERROR_TYPES[error.code] ?? error.code,
  };
}

/** Authorizations have their own code for a missing value of an address (auth-and-connect.md 1.6). */
function asUrlParam(error: HomeportError): HomeportError {
  return new HomeportError('url_param_err', error.message, { cause: error });
}
