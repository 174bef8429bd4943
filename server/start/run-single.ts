import { warnAboutSettings } from '../config/warn-about-settings.ts';
import type { Part } from '../supervisor/messages.ts';
import { alone } from '../supervisor/siblings.ts';
import { gracefulEnd, openProcess, startOrExit } from './process-end.ts';
import { startParts } from './start-parts.ts';
import { prepareData, readyMessageOf } from './start-plan.ts';

/** Every role in one process: for development, tests and very small machines. */
const { config, logger } = openProcess();
warnAboutSettings(config, logger, process.env);
await startOrExit(logger, async () => {
  await prepareData(config, logger);
  const parts = new Set<Part>([...config.roles, 'housekeeper']);
  const stop = await startParts(config, logger, { parts, siblings: alone, pages: null });
  const readyMessage = readyMessageOf(config);
  if (readyMessage !== null) logger.info(readyMessage);
  const end = gracefulEnd(logger, stop);
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
});
