// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.operation.ConfirmTokens;
import dev.coxswain.admin.internal.operation.OperationRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The request for an operation of several replicas: what it is, and the body that each of them
 * receives. Immutable; the body of the client stays as it was sent.
 */
final class PartRequests {

  private static final String TOKEN = "confirmToken";
  private static final String DRY_RUN = "dryRun";

  private final Body sent;
  private final OperationRequest request;
  private final @Nullable Map<String, String> tokens;

  private PartRequests(Body sent, OperationRequest request, @Nullable Map<String, String> tokens) {
    this.sent = sent;
    this.request = request;
    this.tokens = tokens;
  }

  /**
   * Reads the body of a client.
   *
   * @param itemsPerSecond the default rate
   */
  static PartRequests read(Body body, int itemsPerSecond) {
    OperationRequest request = OperationRequest.read(body.again(), itemsPerSecond);
    return new PartRequests(body.again(), request, ConfirmTokens.parts(request.confirmToken()));
  }

  /** Returns what the client requests. */
  OperationRequest request() {
    return request;
  }

  /** Returns the tokens of the replicas of a preview; null without the token of several replicas. */
  @Nullable Map<String, String> tokens() {
    return tokens;
  }

  /** Returns whether the items are only counted. */
  boolean isDryRun() {
    return request.bulk().dryRun();
  }

  /** Returns whether the request is limited to what one replica has shown. */
  boolean isOfOneReplica() {
    return tokens == null
        && (request.confirmToken() != null
            || (!isDryRun() && request.bulk().filter().maxSeq() != Long.MAX_VALUE));
  }

  /** Returns the limit of all parts together. */
  int maxAffected() {
    return sent.has("maxAffected") ? request.bulk().maxAffected() : Integer.MAX_VALUE;
  }

  /** Returns the body of the client. */
  Body whole() {
    return sent.again();
  }

  /** Returns the body with which a replica counts its items. */
  Body counting(String replica) {
    return Body.of(confirmed(replica).put(DRY_RUN, true));
  }

  /** Returns the body with which a replica begins its part. */
  Body starting(String replica) {
    return Body.of(confirmed(replica));
  }

  private ObjectNode confirmed(String replica) {
    ObjectNode json = sent.tree();
    return tokens == null ? json : json.put(TOKEN, tokens.get(replica));
  }
}
