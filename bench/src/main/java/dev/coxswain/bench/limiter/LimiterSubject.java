// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import java.util.List;

/**
 * A member of a cluster that shares limiters.
 *
 * <p>Thread rule: created and closed on a thread that may block.
 */
interface LimiterSubject extends AutoCloseable {
  /** Coxswain's budgets. */
  String COXSWAIN = "coxswain";

  /** A claim for each grant, which is what Coxswain's budgets do below their line. */
  String COXSWAIN_CLAIM = "coxswainClaim";

  /** Bucket4j's asynchronous proxies as they come. */
  String BUCKET4J = "bucket4j";

  /** The same with the optimization that changes nothing in what is promised. */
  String BUCKET4J_BATCHING = "bucket4jBatching";

  /** The kinds of requests, by the product that a cluster runs. */
  List<List<String>> WAYS =
      List.of(List.of(COXSWAIN, COXSWAIN_CLAIM), List.of(BUCKET4J, BUCKET4J_BATCHING));

  /** Where a member is: its own number and the ports of all. */
  record Place(int ordinal, List<Integer> ports) {
    int members() {
      return ports.size();
    }

    int port() {
      return ports.get(ordinal);
    }

    String clusterName() {
      return "bench-" + ports.getFirst();
    }

    List<String> addresses() {
      return ports.stream().map(port -> "127.0.0.1:" + port).toList();
    }
  }

  /** Starts a member of the cluster for this kind of requests; returns when all have joined. */
  static LimiterSubject start(String way, Loop loop, Place place) {
    return way.startsWith(COXSWAIN)
        ? new CoxswainLimiter(loop, place)
        : new Bucket4jLimiter(loop, place);
  }

  /** Opens a limiter; on the event loop. */
  TokenRequests open(String way, String limiter, Load load, TokenRequests.Granted granted);

  @Override
  void close();
}
