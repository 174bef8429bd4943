/**
 * What a program started by a test inherits; everything else is passed explicitly. One process starts faster
 * than several, and no one sets up billing in tests that are not about billing.
 */
export function programEnvironment(): Record<string, string> {
  const { PATH = '', TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    // A developer may have their own settings in .env.
    ENV_FILE: '/dev/null',
    PROCESSES: 'single',
    BILLING_MODE: 'off',
    // A browser for every deploy would take longer than most tests.
    SITE_PICTURES: 'off',
    ...(TMPDIR !== undefined && { TMPDIR }),
    ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }),
  };
}
