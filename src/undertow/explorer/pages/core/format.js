// Numbers and times as people read them.

const WHOLE = new Intl.NumberFormat("en");
const DAY = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat("en-GB", { month: "short", year: "numeric", timeZone: "UTC" });
const YEAR = new Intl.DateTimeFormat("en-GB", { year: "numeric", timeZone: "UTC" });
const CLOCK = new Intl.DateTimeFormat("en-GB", {
  day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone: "UTC",
});
const SECONDS = { day: 86400, month: 30 * 86400, year: 365 * 86400 };

/** 18846 -> 18,846 */
export function whole(number) {
  return WHOLE.format(number);
}

/** "1 document", "18,846 documents" */
export function counted(number, one, many = `${one}s`) {
  return `${whole(number)} ${number === 1 ? one : many}`;
}

/** .0834 -> 8.3 % */
export function percent(share) {
  const value = 100 * share;
  if (value > 0 && value < 0.05) return "< 0.1 %";
  return `${value.toFixed(value >= 99.95 || value === 0 ? 0 : 1)} %`;
}

/** .873 -> 87 % */
export function roundPercent(share) {
  return share > 0 && share < 0.005 ? "< 1 %" : `${Math.round(100 * share)} %`;
}

/** Three digits that count, without needless zeros: 0.0312, 1.24, 312, 4.5k, 1.2M */
export function figure(number) {
  if (number === null || number === undefined || !Number.isFinite(number)) return "–";
  const size = Math.abs(number);
  if (size >= 1e6) return `${tidy(number / 1e6, 2)}M`;
  if (size >= 1e4) return `${tidy(number / 1e3, 1)}k`;
  if (size >= 100) return tidy(number, 0);
  if (size >= 10) return tidy(number, 1);
  if (size >= 1) return tidy(number, 2);
  if (size === 0) return "0";
  return size < 1e-3 ? number.toExponential(1).replace("-", "−") : minus(String(Number(number.toPrecision(3))));
}

/** With its sign: +0.83, −0.2 */
export function signed(number) {
  return (number > 0 ? "+" : "") + figure(number);
}

/** 12 ms, 1.4 s, 2 min */
export function duration(seconds) {
  if (seconds < 0.995) return `${Math.max(1, Math.round(1000 * seconds))} ms`;
  return seconds < 90 ? `${tidy(seconds, 1)} s` : `${Math.round(seconds / 60)} min`;
}

/** A time of the server: seconds since 1970 for dates, else a number. `span`, the whole range, decides how exactly. */
export function moment(value, kind, span = 0) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (kind !== "date") return figure4(value);
  const date = new Date(1000 * value);
  if (span > 12 * SECONDS.year) return YEAR.format(date);
  if (span > 9 * SECONDS.month) return MONTH.format(date);
  return span > 3 * SECONDS.day || span === 0 ? DAY.format(date) : CLOCK.format(date);
}

/** The time of a document, which comes as a text or as a number. */
export function stamp(value) {
  if (typeof value !== "string") return figure4(value);
  const date = /^\d{4}-\d\d-\d\d/.test(value) ? new Date(value.length > 10 && !/Z|[+-]\d\d:?\d\d$/.test(value) ? `${value}Z` : value) : null;
  return date === null || Number.isNaN(date.getTime()) ? value : DAY.format(date);
}

function figure4(number) {
  return Number.isInteger(number) && Math.abs(number) < 1e4 ? minus(String(number)) : figure(number);
}

function tidy(number, digits) {
  return minus(String(Number(number.toFixed(digits))));
}

function minus(text) {
  return text.replace(/^-/, "−");
}
