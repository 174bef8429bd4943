/**
 * Thrown for an environment value that cannot be used; its message is one sentence that names the variable.
 */
export class ConfigError extends Error {
  override name = 'ConfigError';
}
