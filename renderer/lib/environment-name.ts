/** Names that addresses can hold (ui.md 4). */
export const ENVIRONMENT_NAME = /^[a-z0-9_-]{1,255}$/;
export const ENVIRONMENT_NAME_RULE = 'Use lower-case letters, digits, _ and -.';
