// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A token of a service account ends with its time, on a clock that the test holds. */
final class TokenExpiryTest {

  @Test
  void aToken_isGoodUntilItsTimeIsOver_andNoLonger() {
    ResourceRegistry registry = new ResourceRegistry();
    ObjectStore store = new ObjectStore(100, InstantSource.system());
    Instant[] now = {Instant.parse("2026-01-01T00:00:00Z")};
    AccountTokens tokens = new AccountTokens(() -> now[0], registry, store);
    ObjectCollection accounts =
        store.collection(Objects.requireNonNull(registry.type("", "serviceaccounts")));
    ObjectNode tree = Json.object();
    tree.putObject("metadata").put("namespace", "default").put("name", "bot").put("uid", "u");
    StoredObject account = store.put(accounts, null, tree);

    AccountTokens.Issued issued = tokens.issue(account, List.of("a"), 600);

    now[0] = issued.expires().minusMillis(1);
    assertThat(tokens.bearer(issued.text())).isNotNull();
    now[0] = issued.expires();
    assertThat(tokens.bearer(issued.text())).isNull();
  }
}
