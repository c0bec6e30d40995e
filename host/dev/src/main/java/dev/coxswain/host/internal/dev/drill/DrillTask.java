// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill;

/**
 * The tasks of a drill, in the order in which they are shown; most can be done in another one.
 *
 * <p>Thread rule: immutable.
 */
enum DrillTask {
  CAUSE(
      "Which cause do most objects fail of? Type its id.",
      "The overview shows it first, with its id beneath; \"ctl get causes\"; GET /api/v1/causes."),
  REPLICA(
      "Which replica has died? Type its name.",
      "At first every page, command and response names the replica that does not answer; after 10 s, when its Lease has"
          + " ended, the page Timeline, \"ctl timeline\" and GET /api/v1/timeline: type replicaLeft."),
  PAUSE(
      "Stop the retries of this cause, and of nothing else.",
      "\"Pause retries...\" beside the cause; \"ctl pause websites --cause ID --for 10m --reason drill\";"
          + " POST /api/v1/controllers/websites/pause with {\"cause\": \"ID\", \"duration\": \"10m\", \"reason\": \"drill\"}."),
  LIMIT(
      "Lower the limiter \"default\" to 5 retries a second or fewer.",
      "The page Limiters; \"ctl limiters set default --rate 5 --ttl 10m --reason drill\";"
          + " PUT /api/v1/limiters/default/override with {\"rate\": 5, \"ttl\": \"10m\", \"reason\": \"drill\"}."),
  REPAIR(
      "Repair the cause: raise the quota to 10000 volumes.",
      "The command is in the list of addresses above."),
  RETRY(
      "Retry what fails of this cause, and nothing else.",
      "\"Retry...\" above the items of the cause; \"ctl retry websites -A --cause ID --reason drill\" (it shows what it will do, then type yes);"
          + " POST /api/v1/controllers/websites/operations with {\"action\": \"retry\", \"selector\": {\"cause\": \"ID\"},"
          + " \"reason\": \"drill\"}, first with \"dryRun\": true, then with the confirmToken of the response."),
  RESUME(
      "End the pause, and give the limiter its configured rate back.",
      "\"Resume retries\" beside the cause, \"Remove the override...\" at the limiter; \"ctl resume websites --cause ID --reason drill\" and \"ctl limiters reset default --reason drill\";"
          + " POST /api/v1/controllers/websites/resume with {\"cause\": \"ID\", \"reason\": \"drill\"}, DELETE /api/v1/limiters/default/override with {\"reason\": \"drill\"}.");

  private final String text;
  private final String hint;

  DrillTask(String text, String hint) {
    this.text = text;
    this.hint = hint;
  }

  /** Returns what is to be done. */
  String text() {
    return text;
  }

  /** Returns how it is done in the dashboard, with ctl and with HTTP. */
  String hint() {
    return hint;
  }
}
