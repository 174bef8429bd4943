import { ensureChromium } from './chromium.ts';
import { ensurePrograms } from './programs-setup.ts';

/** Installs what a whole run needs on the machine. A process of its own, because the package manager is awaited synchronously. */
ensurePrograms();
ensureChromium();
