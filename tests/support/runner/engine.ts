/** The database that service tests run on: each of them runs once on either. */
export const engine = process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite';
