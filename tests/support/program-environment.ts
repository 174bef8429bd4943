/**
 * What a program started by a test inherits; everything else it is given. One process starts sooner than several, and nobody
 * sets up billing where it is not about billing.
 */
export function programEnvironment(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    // Whoever develops may have settings of their own in .env.
    ENV_FILE: '/dev/null',
    PROCESSES: 'single',
    BILLING_MODE: 'off',
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
  };
}
