/** The moment at which every history begins. */
export const STARTED_AT = Date.parse('2026-06-01T12:00:00.000Z');
/** Ports of the simulated network. */
export const HUB_PORT = 3003;
export const PROVIDER_PORT = 9100;
export const APP_PORT = 9200;
export const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
/** Part of every secret of the simulation: it may occur in no file of the hub. */
export const SECRET_MARK = 'S3CR3T-';
