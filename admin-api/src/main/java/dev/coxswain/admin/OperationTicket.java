// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of one operation have in common.
 *
 * @param id its id on all replicas
 * @param participants the replicas that have a part of it, by name
 */
record OperationTicket(String id, List<String> participants) {

  private static final String ID_HEADER = "Coxswain-Operation";
  private static final String PARTICIPANTS_HEADER = "Coxswain-Participants";
  private static final Pattern ID = Pattern.compile("op-[0-9a-f]{8}-[0-9]{1,18}");
  private static final int MAX_PARTICIPANTS = 256;

  OperationTicket {
    participants = List.copyOf(participants);
  }

  /** Returns it as headers of a question to another replica. */
  Map<String, String> headers() {
    return Map.of(ID_HEADER, id, PARTICIPANTS_HEADER, String.join(",", participants));
  }

  /** Reads what another replica sent along; null when it sent nothing. */
  static @Nullable OperationTicket of(Exchange exchange) {
    String id = exchange.request().getHeader(ID_HEADER);
    String names = exchange.request().getHeader(PARTICIPANTS_HEADER);
    if (id == null || names == null || !exchange.path().startsWith(Cluster.ROOT + "/")) {
      return null;
    }
    List<String> participants = List.of(names.split(",", MAX_PARTICIPANTS));
    if (!ID.matcher(id).matches() || participants.stream().anyMatch(String::isBlank)) {
      throw Problem.invalid(
              "invalid-header",
              ID_HEADER + " must be the id of an operation, with its " + PARTICIPANTS_HEADER,
              new Problem.Fault("header", ID_HEADER, "must be the id of an operation"))
          .rejection();
    }
    return new OperationTicket(id, participants);
  }
}
