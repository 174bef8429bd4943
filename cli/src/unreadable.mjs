import { CliError, EXIT } from './cli-error.mjs';

/**
 * Returns what ends the deploy when a file or folder cannot be read.
 * @param {string} path as deployed
 * @returns {(error: NodeJS.ErrnoException) => never}
 */
export function refuseUnreadable(path) {
  return (error) => {
    // What is not UTF-8 in a name was replaced when it was read, so that nothing has the resulting name.
    if (error.code === 'ENOENT' && path.includes('\ufffd')) {
      throw new CliError(EXIT.usage, `The name of ${path} is not UTF-8. Rename it.`);
    }
    if (error.code === 'ENOENT') {
      throw new CliError(EXIT.failure, `${path} was removed while it was being deployed. Deploy again.`);
    }
    if (error.code === 'EACCES' || error.code === 'EPERM') {
      throw new CliError(EXIT.usage, `There is no permission to read ${path}.`);
    }
    throw new CliError(EXIT.failure, `${path} cannot be read (${error.code ?? error.message}).`);
  };
}
