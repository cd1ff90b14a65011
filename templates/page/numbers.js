
// Numbers for charts: one list of x for several series, round values along an axis, values for people.

// One list of x for all series, as uPlot wants it. There y is null where something was lost, and undefined where a series
// has nothing at this x; two values of a series at the same x take two rows.
const join = series => {
  const next = series.map(() => 0);
  const rows = [[], ...series.map(() => [])];
  for (;;) {
    let x = Infinity;
    series.forEach((one, n) => { if (next[n] < one.x.length) x = Math.min(x, one.x[next[n]]); });
    if (x === Infinity) return rows;
    rows[0].push(x);
    series.forEach((one, n) => rows[n + 1].push(one.x[next[n]] === x ? one.y[next[n]++] : undefined));
  }
};

// A logarithmic axis has no place for zero and less: they go to the least value that has one.
const forLog = (column, least) => column.map(value => value <= 0 && value !== null ? least : value);
const leastAbove0 = columns => {
  let least = Infinity;
  for (const column of columns) for (const value of column) if (value > 0 && value < least) least = value;
  return least === Infinity ? 1 : least;
};

// The next of 1, 2 and 5 times a power of ten, downwards by Math.floor and upwards by Math.ceil.
const round = (value, way) => {
  const power = Math.floor(Math.log10(value));
  const digits = [1, 2, 5, 10].map(digit => Number(digit + "e" + power));
  return way === Math.ceil ? digits.find(one => one >= value) ?? digits[3] : digits.findLast(one => one <= value) ?? digits[0];
};

// Round values along a logarithmic axis: as many as there is room for.
const logTicks = (u, key, from, to) => {
  const room = Math.abs(u.valToPos(10, key) - u.valToPos(1, key));
  const wanted = key === "y" ? 26 : 60;
  const digits = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]];
  const steps = digits.find(set => room / (set.length * 1.6) >= wanted) || [1];
  const ticks = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); power++) {
    for (const digit of steps) {
      const tick = Number(digit + "e" + power);
      if (tick >= from && tick <= to) ticks.push(tick);
    }
  }
  return ticks;
};

// Four digits are as many as anybody reads off a chart; more where a number has them before the point.
const written = value => String(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
const withUnit = (value, axis) => written(value) + (axis.unit && " " + axis.unit);
