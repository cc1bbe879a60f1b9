import { readFileSync } from 'node:fs';

import { parseSheet } from './parse.js';
import { inHours, totals } from './totals.js';

const [file = 'week.txt'] = process.argv.slice(2);
const sums = totals(parseSheet(readFileSync(file, 'utf8')));
const width = Math.max(...[...sums.keys()].map((what) => what.length));
for (const [what, minutes] of sums) console.log(`${what.padEnd(width)}  ${inHours(minutes)}`);
