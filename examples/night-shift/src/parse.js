const LINE = /^(\w{3}) (\d{2}):(\d{2})-(\d{2}):(\d{2}) (.+)$/;

/** One line of a timesheet; times are minutes since midnight. */
export function parseLine(line) {
  const found = LINE.exec(line);
  if (!found) throw new Error(`not a line of a timesheet: ${line}`);
  const [, day, fromHour, fromMinute, toHour, toMinute, what] = found;
  return {
    day,
    from: Number(fromHour) * 60 + Number(fromMinute),
    to: Number(toHour) * 60 + Number(toMinute),
    what,
  };
}

export function parseSheet(text) {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parseLine);
}
