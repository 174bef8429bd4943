import { type BuildPlaces, buildPlaces } from '../program/kept-builds.ts';

/** Where the builds of the pages are. */
export const pagePlaces = (root: string): BuildPlaces => buildPlaces(root, 'pages');
