// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.access;

import dev.coxswain.apiserver.internal.status.ApiException;
import io.vertx.core.MultiMap;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** Requests in the name of another user; confined to the server's event loop. */
final class Impersonation {
  private static final String EXTRA = "impersonate-extra-";
  private static final String AUTHENTICATION = "authentication.k8s.io";
  private static final String ACCOUNT = "system:serviceaccount:";

  private final Access access;

  Impersonation(Access access) {
    this.access = access;
  }

  /** Returns the user to act as: the sender, or the one in the headers when the sender may do so. */
  Access.User of(Access.User sender, MultiMap headers) {
    String name = Objects.requireNonNullElse(headers.get("Impersonate-User"), "");
    String uid = Objects.requireNonNullElse(headers.get("Impersonate-Uid"), "");
    List<String> groups = headers.getAll("Impersonate-Group");
    List<Map.Entry<String, String>> extra = new ArrayList<>();
    for (Map.Entry<String, String> header : headers) {
      String key = header.getKey().toLowerCase(Locale.ROOT);
      if (key.startsWith(EXTRA)) {
        extra.add(Map.entry(decoded(key.substring(EXTRA.length())), header.getValue()));
      }
    }
    if (name.isEmpty()) {
      if (uid.isEmpty() && groups.isEmpty() && extra.isEmpty()) {
        return sender;
      }
      throw ApiException.internal("requested uid, groups or extra without impersonating a user");
    }
    String[] account = name.startsWith(ACCOUNT) ? name.split(":", -1) : new String[0];
    boolean isAccount = account.length == 4;
    if (isAccount) {
      check(sender, "", "serviceaccounts", "", account[2], account[3]);
    } else {
      check(sender, "", "users", "", "", name);
    }
    groups.forEach(group -> check(sender, "", "groups", "", "", group));
    extra.forEach(
        each -> check(sender, AUTHENTICATION, "userextras", each.getKey(), "", each.getValue()));
    if (!uid.isEmpty()) {
      check(sender, AUTHENTICATION, "uids", "", "", uid);
    }
    List<String> all = new ArrayList<>(groups);
    if (isAccount && groups.isEmpty()) {
      all.addAll(List.of("system:serviceaccounts", "system:serviceaccounts:" + account[2]));
    }
    String authentication =
        name.equals("system:anonymous") ? "system:unauthenticated" : "system:authenticated";
    if (!all.contains(authentication)) {
      all.add(authentication);
    }
    return new Access.User(name, all, uid, extra);
  }

  private static String decoded(String key) {
    try {
      return URLDecoder.decode(key.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return key; // as a real server does
    }
  }

  private void check(
      Access.User sender,
      String group,
      String resource,
      String subresource,
      String namespace,
      String name) {
    if (access.allowed(
        sender,
        new Access.Attributes("impersonate", group, resource, subresource, namespace, name, ""))) {
      return;
    }
    ApiException.Names names = new ApiException.Names(group, resource);
    String scope =
        namespace.isEmpty() ? "at the cluster scope" : "in the namespace \"" + namespace + "\"";
    throw ApiException.of(
        403,
        "Forbidden",
        "%s \"%s\" is forbidden: User \"%s\" cannot impersonate resource \"%s\" in API group \"%s\" %s"
            .formatted(
                names.qualified(),
                name,
                sender.name(),
                subresource.isEmpty() ? resource : resource + "/" + subresource,
                group,
                scope),
        names.details(name));
  }
}
